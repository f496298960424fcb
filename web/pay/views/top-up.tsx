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
    <Notice tone="warn" title={`There is too little ${ticker} in the wallet`}>
      <p data-part="top-up">
        It has {chain.balance} {ticker}; {chain.missingNow} {ticker} more is needed on {playing.label}. Send it to the
        address below: you can go on here as soon as it has arrived.
      </p>
      <p class="deposit-address code">{chain.wallet}</p>
      <div class="row">
        <Copy what="address" text={chain.wallet} />
        <Copy what="amount" text={chain.missingNow} />
      </div>
    </Notice>
  );
}
