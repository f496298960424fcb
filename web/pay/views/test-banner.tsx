import type { Playing } from '../../../src/checkout/wire.ts';
import { locale, say } from '../../i18n/say.ts';

/** The one notice of test mode on a page. */
export function TestBanner({ playing }: { readonly playing: readonly Pick<Playing, 'label'>[] }) {
  const labels = [...new Set(playing.map(({ label }) => label))];
  return (
    <p class="test-banner">
      <strong>{say('banner.test_mode')}</strong>
      {labels.length > 0 && ` ${say('banner.charges_on', { networks: listOf(labels) })}`}
    </p>
  );
}

function listOf(names: readonly string[]): string {
  return new Intl.ListFormat(locale(), { type: 'conjunction' }).format(names);
}
