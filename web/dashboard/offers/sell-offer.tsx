import { serviceUrl } from '../../ui/api.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { QrCode } from '../../ui/qr-code.tsx';
import type { Offer } from '../merchant-api.ts';

/** The checkout link, its QR code, and the lines for a page of the merchant. */
export function SellOffer({ offer: { id, checkoutUrl, pricing } }: { readonly offer: Offer }) {
  const isRecurring = pricing.some(({ active, billing }) => active && billing.type === 'recurring');
  const snippet = [
    `<div data-tideline-offer="${id}" data-tideline-label="${isRecurring ? 'Subscribe' : 'Buy'}"></div>`,
    `<script src="${serviceUrl('/embed.js')}" async></script>`,
  ].join('\n');
  return (
    <section class="card stack">
      <h2>Sell it</h2>
      <div class="sell">
        <div class="stack">
          <div class="stack-tight">
            <div class="row">
              <h3>Checkout link</h3>
              <CopyButton what="checkout link" text={checkoutUrl} />
            </div>
            <p>
              <a href={checkoutUrl} data-part="checkout-link">
                {checkoutUrl}
              </a>
            </p>
          </div>
          <div class="stack-tight">
            <div class="row">
              <h3>On your own page</h3>
              <CopyButton what="embed snippet" text={snippet} />
            </div>
            <pre class="exact">
              <code>{snippet}</code>
            </pre>
            <p class="small soft">
              A button that opens the checkout over your page.{' '}
              <a href={serviceUrl('/docs/guides/checkout')}>Checkout and embed</a>
            </p>
          </div>
        </div>
        <QrCode text={checkoutUrl} label="QR code of the checkout link" />
      </div>
    </section>
  );
}
