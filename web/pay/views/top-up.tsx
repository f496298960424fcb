import type { Asked, ChainSays } from '../../../src/checkout/wire.ts';
import { money } from '../../ui/decimal.ts';
import { Notice } from '../../ui/notice.tsx';
import { QrCode } from '../../ui/qr-code.tsx';
import { transferLink } from '../transfer-link.ts';
import { Copy } from './copy.tsx';

export interface TopUpProps {
  readonly chain: ChainSays;
  readonly place: Pick<Asked, 'playing' | 'ticker' | 'chainFamily'>;
}

/** The amount that the wallet lacks for the first charge, and how to send it. The page checks again by itself. */
export function TopUp({ chain, place }: TopUpProps) {
  const { ticker, playing } = place;
  const { wallet: address, missingNow: amount, missingNowBaseUnits: baseUnits } = chain;
  return (
    <Notice tone="warn" title={`The wallet has too little ${ticker}`}>
      <p data-part="top-up">
        It has {money(chain.balance, ticker)} and needs {money(chain.missingNow, ticker)} more on {playing.label}. Send
        this amount to the address below. You can continue here when it arrives.
      </p>
      <p class="deposit-address code">{chain.wallet}</p>
      <div class="row">
        <Copy what="address" text={chain.wallet} />
        <Copy what="amount" text={chain.missingNow} />
      </div>
      <details>
        <summary>Send it from a phone</summary>
        <QrCode text={transferLink(place, { address, amount, baseUnits })} label="QR code of this amount" />
      </details>
    </Notice>
  );
}
