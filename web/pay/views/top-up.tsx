import type { Asked, ChainSays } from '../../../src/checkout/wire.ts';
import { Notice } from '../../ui/notice.tsx';
import { Copy } from './copy.tsx';

export interface TopUpProps {
  readonly chain: ChainSays;
  readonly place: Pick<Asked, 'playing' | 'ticker'>;
}

/** The amount that the wallet lacks for the first charge, and how to send it. The page checks again by itself. */
export function TopUp({ chain, place: { ticker, playing } }: TopUpProps) {
  return (
    <Notice tone="warn" title={`The wallet has too little ${ticker}`}>
      <p data-part="top-up">
        It has {chain.balance} {ticker} and needs {chain.missingNow} {ticker} more on {playing.label}. Send this amount
        to the address below. You can continue here when it arrives.
      </p>
      <p class="deposit-address code">{chain.wallet}</p>
      <div class="row">
        <Copy what="address" text={chain.wallet} />
        <Copy what="amount" text={chain.missingNow} />
      </div>
    </Notice>
  );
}
