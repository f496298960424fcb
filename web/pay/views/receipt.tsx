import type { ComponentChild } from 'preact';
import { inChosenLanguage } from '../../i18n/page-language.ts';
import { say, sayRich } from '../../i18n/say.ts';
import { serviceUrl } from '../../ui/api.ts';
import { money } from '../../ui/decimal.ts';
import { Facts } from '../../ui/panel.tsx';
import type { Purchase } from '../purchase.ts';
import { receiptOf } from '../receipt.ts';
import { chargeDateOf, dateOf, shortened } from '../words.ts';
import { Copy } from './copy.tsx';

export interface ReceiptProps {
  readonly purchase: Purchase;
  /** The address of the proof of the charge; null: none here. */
  readonly proofUrl: string | null;
}

/** The payment, its moment and how to check it; the next charge, and how to end it. */
export function Receipt({ purchase, proofUrl }: ReceiptProps) {
  const { paid, nextAt } = receiptOf(purchase);
  const ticker = purchase.asked?.ticker ?? '';
  const { offerName: offer, merchantName: merchant } = purchase;
  const paidText = paid && say('receipt.paid_on', { amount: money(paid.amount, ticker), date: dateOf(paid.paidAt) });
  const transaction = paid?.pullTxHash ? <Transaction hash={paid.pullTxHash} explorerUrl={paid.explorerUrl} /> : null;
  return (
    <section class="stack-tight" aria-labelledby="receipt-title" data-part="receipt">
      <h2 id="receipt-title">{say('receipt.title')}</h2>
      <Facts
        facts={[
          [say('receipt.for'), say('common.offer_of_merchant', { offer, merchant })],
          [say('receipt.paid'), paidText],
          [say('receipt.next_charge'), nextAt && chargeDateOf(nextAt)],
          [say('receipt.transaction'), transaction],
        ]}
      />
      {purchase.outcome.receiptPath !== null && <Lasting path={purchase.outcome.receiptPath} />}
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

/** How the payer comes back to it. */
function Lasting({ path }: { readonly path: `/receipts/${string}` }) {
  const url = inChosenLanguage(serviceUrl(path));
  return (
    <div class="stack-tight" data-part="receipt-link">
      <p>{say('receipt.lasts')}</p>
      <p class="exact code">{url}</p>
      <div class="row">
        <Copy what="link" text={url} />
        <a href={url} target="_blank" rel="noreferrer">
          {say('receipt.open')}
        </a>
      </div>
    </div>
  );
}

function Transaction({ hash, explorerUrl }: { readonly hash: string; readonly explorerUrl: string | null }) {
  return (
    <>
      <code title={hash}>{shortened(hash)}</code>
      {explorerUrl !== null && (
        <>
          {' '}
          <a href={explorerUrl} target="_blank" rel="noreferrer">
            {say('receipt.show_on', { explorer: new URL(explorerUrl).host })}
          </a>
        </>
      )}
    </>
  );
}
