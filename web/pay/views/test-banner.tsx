import type { Playing } from '../../../src/checkout/wire.ts';

export interface TestBannerProps {
  readonly playing: readonly Pick<Playing, 'label'>[];
}

/** The one notice of test mode on a page. */
export function TestBanner({ playing }: TestBannerProps) {
  const labels = [...new Set(playing.map(({ label }) => label))];
  return (
    <p class="test-banner">
      <strong>Test mode: no real money moves.</strong>
      {labels.length > 0 && ` Charges are made on ${labels.join(' and ')}.`}
    </p>
  );
}
