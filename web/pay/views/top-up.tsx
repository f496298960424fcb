import type { ComponentChildren } from 'preact';
import type { PayerState, RequestedAllowance } from '../../../src/checkout/wire.ts';
import { say } from '../../i18n/say.ts';
import { Button } from '../../ui/button.tsx';
import { money } from '../../ui/decimal.ts';
import { Notice } from '../../ui/notice.tsx';
import { QrCode } from '../../ui/qr-code.tsx';
import { isPhone } from '../is-phone.ts';
import { transferLink } from '../transfer-link.ts';
import { Copy } from './copy.tsx';

export interface TopUpProps {
  readonly chain: PayerState;
  readonly payToken: Pick<RequestedAllowance, 'playing' | 'ticker' | 'chainFamily'>;
}

const PANEL = 'top-up';

export interface AddMissingProps {
  readonly chain: PayerState;
  readonly ticker: string;
  /** Other ways on. */
  readonly children: ComponentChildren;
}

/** At the button of the step: the missing amount, and the way to the panel that says how to send it. */
export function AddMissing({ chain, ticker, children }: AddMissingProps) {
  const [balance, missing] = [money(chain.balance, ticker), money(chain.missingNow, ticker)];
  return (
    <>
      <p data-part="missing">{say('top_up.missing', { balance, missing })}</p>
      {children}
      <Button variant="primary" onClick={() => document.getElementById(PANEL)?.querySelector('button')?.focus()}>
        {say('top_up.add', { missing })}
      </Button>
    </>
  );
}

/** The amount that the wallet lacks for the first charge, and how to send it. The page checks again by itself. */
export function TopUp({ chain, payToken }: TopUpProps) {
  const { ticker, playing } = payToken;
  const { wallet: address, missingNow: amount, missingNowBaseUnits: baseUnits } = chain;
  const link = transferLink(payToken, { address, amount, baseUnits });
  return (
    <Notice tone="warn" title={say('top_up.title', { ticker })} id={PANEL} isStep>
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
      {isPhone() ? (
        <div>
          <a class="button" href={link}>
            {say('transfer.open_in_wallet')}
          </a>
        </div>
      ) : (
        <details>
          <summary>{say('top_up.from_phone')}</summary>
          <QrCode text={link} label={say('top_up.code')} />
        </details>
      )}
    </Notice>
  );
}
