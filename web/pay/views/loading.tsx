import { say } from '../../i18n/say.ts';

/** Shown until the first data arrives. */
export function Loading() {
  return (
    <main class="page row" aria-busy="true">
      <h1 class="visually-hidden">{say('common.loading')}</h1>
      <span class="spinner" aria-hidden="true" />
      <span class="soft">{say('common.one_moment')}</span>
    </main>
  );
}
