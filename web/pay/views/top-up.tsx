import type { PayerState, RequestedAllowance } from '../../../src/checkout/wire.ts';
import { say } from '../../i18n/say.ts';
import { money } from '../../ui/decimal.ts';
import { Notice } from '../../ui/notice.tsx';
import { QrCode } from '../../ui/qr-code.tsx';
import { transferLink } from '../transfer-link.ts';
import { Copy } from './copy.tsx';

export interface TopUpProps {
  readonly chain: PayerState;
  readonly payToken: Pick<RequestedAllowance, 'playing' | 'ticker' | 'chainFamily'>;
}

/** The amount that the wallet lacks for the first charge, and how to send it. The page checks again by itself. */
export function TopUp({ chain, payToken }: TopUpProps) {
  const { ticker, playing } = payToken;
  const { wallet: address, missingNow: amount, missingNowBaseUnits: baseUnits } = chain;
  return (
    <Notice tone="warn" title={say('top_up.title', { ticker })}>
      <p data-part="top-up">
        {say('top_up.text', {
          balance: money(chain.balance, ticker),
          missing: money(chain.missingNow, ticker),
          network: playing.label,
        })}
      </p>
      <p class="exact code">{chain.wallet}</p>
      <div class="row">
        <Copy what="address" text={chain.wallet} />
        <Copy what="amount" text={chain.missingNow} />
      </div>
      <details>
        <summary>{say('top_up.from_phone')}</summary>
        <QrCode text={transferLink(payToken, { address, amount, baseUnits })} label={say('top_up.code')} />
      </details>
    </Notice>
  );
}
