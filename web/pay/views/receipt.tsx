import { type ComponentChild, Fragment } from 'preact';
import { inChosenLanguage } from '../../i18n/page-language.ts';
import { say, sayRich } from '../../i18n/say.ts';
import { serviceUrl } from '../../ui/api.ts';
import { money } from '../../ui/decimal.ts';
import type { Purchase } from '../purchase.ts';
import { explorerName, receiptOf } from '../receipt.ts';
import { dateOf, shortened } from '../words.ts';

export interface ReceiptProps {
  readonly purchase: Purchase;
  /** The address of the proof of the charge; null: none here. */
  readonly proofUrl: string | null;
}

/** What was paid, when, and how to check it; what comes next, and how to end it. */
export function Receipt({ purchase, proofUrl }: ReceiptProps) {
  const { paid, nextAt } = receiptOf(purchase);
  const ticker = purchase.asked?.ticker ?? '';
  const { offerName: offer, merchantName: merchant } = purchase;
  const rows = [
    { title: say('receipt.for'), text: say('common.offer_of_merchant', { offer, merchant }) },
    ...(paid === null
      ? []
      : [
          {
            title: say('receipt.paid'),
            text: say('receipt.paid_on', { amount: money(paid.amount, ticker), date: dateOf(paid.at) }),
          },
        ]),
    ...(nextAt === null ? [] : [{ title: say('receipt.next_charge'), text: dateOf(nextAt) }]),
  ];
  return (
    <section class="stack-tight" aria-labelledby="receipt-title" data-part="receipt">
      <h2 id="receipt-title">{say('receipt.title')}</h2>
      <dl class="facts">
        {rows.map(({ title, text }) => (
          <Fragment key={title}>
            <dt>{title}</dt>
            <dd>{text}</dd>
          </Fragment>
        ))}
        {paid?.hash != null && (
          <>
            <dt>{say('receipt.transaction')}</dt>
            <dd>
              <code title={paid.hash}>{shortened(paid.hash)}</code>
              {paid.explorerUrl !== null && (
                <>
                  {' '}
                  <a href={paid.explorerUrl} target="_blank" rel="noreferrer">
                    {say('receipt.show_on', { explorer: explorerName(paid.explorerUrl) })}
                  </a>
                </>
              )}
            </dd>
          </>
        )}
      </dl>
      {paid !== null && proofUrl !== null && (
        <p class="small">
          {sayRich<ComponentChild>('receipt.proof', {
            link: (parts) => (
              <a href={proofUrl} download={`${paid.id}.proof.json`}>
                {parts}
              </a>
            ),
          })}
        </p>
      )}
      {purchase.outcome.subscription !== null && (
        <p class="small">
          {sayRich<ComponentChild>('receipt.portal', {
            link: (parts) => (
              <a href={inChosenLanguage(serviceUrl('/portal'))} target="_blank" rel="noreferrer">
                {parts}
              </a>
            ),
          })}
        </p>
      )}
    </section>
  );
}
