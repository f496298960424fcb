import { say } from '../../i18n/say.ts';

/** Shown until the first data arrives; the HTML of the page has the same before the script runs. */
export function Loading({ layout = 'columns' }: { readonly layout?: 'columns' | 'page-narrow stack' }) {
  return (
    <main class={`page ${layout}`} aria-busy="true">
      <h1 class="visually-hidden">{say('common.loading')}</h1>
      <div class="stack">{rows(2)}</div>
      <div class="card stack">{rows(4)}</div>
    </main>
  );
}

function rows(count: number) {
  return Array.from({ length: count }, (_, at) => <div key={at} class="skeleton" aria-hidden="true" />);
}
