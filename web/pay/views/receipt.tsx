import { Fragment } from 'preact';
import { serviceUrl } from '../../ui/api.ts';
import { money } from '../../ui/decimal.ts';
import { explorerName, receiptOf } from '../receipt.ts';
import type { Standing } from '../standing.ts';
import { dateOf, shortened } from '../words.ts';

export interface ReceiptProps {
  readonly standing: Standing;
  /** The address of the proof of the charge; null: none here. */
  readonly proofUrl: string | null;
}

/** What was paid, when, and how to check it; what comes next, and how to end it. */
export function Receipt({ standing, proofUrl }: ReceiptProps) {
  const { paid, nextAt } = receiptOf(standing);
  const ticker = standing.asked?.ticker ?? '';
  const rows = [
    { title: 'For', text: `${standing.offerName}, ${standing.merchantName}` },
    ...(paid === null ? [] : [{ title: 'Paid', text: `${money(paid.amount, ticker)} on ${dateOf(paid.at)}` }]),
    ...(nextAt === null ? [] : [{ title: 'Next charge', text: dateOf(nextAt) }]),
  ];
  return (
    <section class="stack-tight" aria-labelledby="receipt-title" data-part="receipt">
      <h2 id="receipt-title">Receipt</h2>
      <dl class="facts">
        {rows.map(({ title, text }) => (
          <Fragment key={title}>
            <dt>{title}</dt>
            <dd>{text}</dd>
          </Fragment>
        ))}
        {paid?.hash != null && (
          <>
            <dt>Transaction</dt>
            <dd>
              <code title={paid.hash}>{shortened(paid.hash)}</code>
              {paid.explorerUrl !== null && (
                <>
                  {' '}
                  <a href={paid.explorerUrl} target="_blank" rel="noreferrer">
                    Show it on {explorerName(paid.explorerUrl)}
                  </a>
                </>
              )}
            </dd>
          </>
        )}
      </dl>
      {paid !== null && proofUrl !== null && (
        <p class="small">
          <a href={proofUrl} download={`${paid.id}.proof.json`}>
            Download the signed proof
          </a>{' '}
          of this charge: anybody can check it against the chain.
        </p>
      )}
      {standing.outcome.subscription !== null && (
        <p class="small">
          To end it, or to see all that this wallet pays, sign in to{' '}
          <a href={serviceUrl('/portal')} target="_blank" rel="noreferrer">
            your portal
          </a>
          .
        </p>
      )}
    </section>
  );
}
