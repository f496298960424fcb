import type { ComponentChild } from 'preact';
import { withCode } from '../../machines/rules/discount-words.ts';
import type { PortalPayment } from '../../src/portal/wire.ts';
import { inChosenLanguage } from '../i18n/page-language.ts';
import { say, sayRich } from '../i18n/say.ts';
import { dateOf, shortened } from '../pay/words.ts';
import { serviceUrl } from '../ui/api.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { money } from '../ui/decimal.ts';
import { Facts } from '../ui/panel.tsx';
import { paymentState } from './words.ts';

export interface ReceiptsProps {
  readonly title: string;
  readonly payments: readonly PortalPayment[];
  readonly more: (() => void) | null;
}

export function Receipts({ title, payments, more }: ReceiptsProps) {
  return (
    <section class="stack" aria-labelledby="receipts-title" data-part="receipts">
      <h2 id="receipts-title">{title}</h2>
      {payments.length === 0 && <p class="soft">{say('portal.no_payments')}</p>}
      <ul class="plain-list">
        {payments.map((payment) => (
          <li key={payment.id} class="line stack-tight">
            <Receipt payment={payment} />
          </li>
        ))}
      </ul>
      {more !== null && <Button onClick={more}>{say('portal.older_payments')}</Button>}
    </section>
  );
}

function Receipt({ payment }: { readonly payment: PortalPayment }) {
  const { id, createdAt, amount, ticker, subscriptionId, merchantName, offerName, hasProof, receiptPath } = payment;
  const { periodStart, periodEnd, quantity, unitsUsed, discount, credit, invoicePath } = payment;
  const state = paymentState(payment);
  const date = dateOf(createdAt);
  // Each refund has a credit note, and they are in one file.
  const invoice = say('invoice.open', { notes: payment.refunds.length });
  return (
    <>
      <div class="spread">
        <strong class="number">{money(amount, ticker)}</strong>
        <Badge tone={state.tone}>{state.text}</Badge>
      </div>
      {subscriptionId === null && (
        <span>
          {offerName === null
            ? merchantName
            : say('common.offer_of_merchant', { offer: offerName, merchant: merchantName })}
        </span>
      )}
      <span class="soft">{date}</span>
      {periodStart !== null && periodEnd !== null && (
        <Facts
          facts={[
            [say('receipt.period'), say('receipt.period_of', { from: dateOf(periodStart), to: dateOf(periodEnd) })],
            [say('quantity.title'), quantity],
            [say('discount.title'), discount && withCode(money(discount.amount, ticker), discount)],
            [say('change.credit'), credit && money(credit, ticker)],
            [say('usage.used'), unitsUsed === null ? null : say('usage.units', { units: unitsUsed })],
          ]}
        />
      )}
      <div class="row small">
        <Transaction {...payment} />
        {receiptPath !== null && (
          <a href={inChosenLanguage(serviceUrl(receiptPath))} target="_blank" rel="noreferrer">
            {say('portal.receipt_of', { date })}
          </a>
        )}
        {invoicePath !== null && (
          <a
            href={inChosenLanguage(serviceUrl(invoicePath))}
            target="_blank"
            rel="noreferrer"
            aria-label={`${invoice}, ${date}`}
          >
            {invoice}
          </a>
        )}
        {hasProof && (
          <a
            href={`portal/api/payments/${encodeURIComponent(id)}/proof`}
            download={`${id}.json`}
            aria-label={say('portal.proof_of', { date })}
          >
            {say('portal.proof')}
          </a>
        )}
      </div>
      {payment.refunds.map((refund) => (
        <div key={refund.txHash} class="row small" data-part="refunded">
          <span>{say('portal.refunded', { amount: money(refund.amount, ticker), date: dateOf(refund.at) })}</span>
          <Transaction {...refund} network={payment.network} />
        </div>
      ))}
    </>
  );
}

function Transaction({ txHash, explorerUrl, network }: Pick<PortalPayment, 'txHash' | 'explorerUrl' | 'network'>) {
  if (txHash === null) return null;
  const name = <code title={txHash}>{shortened(txHash)}</code>;
  const hash =
    explorerUrl === null ? (
      name
    ) : (
      <a href={explorerUrl} target="_blank" rel="noopener noreferrer">
        {name}
      </a>
    );
  return (
    <span>
      {network === null
        ? sayRich<ComponentChild>('portal.transaction', { hash })
        : sayRich<ComponentChild>('portal.transaction_on', { hash, network })}
    </span>
  );
}
