import { Fragment } from 'preact';
import type { ChainFamily, Challenge } from '../../../src/checkout/wire.ts';
import { limitsOf } from '../limits.ts';
import { promiseOf } from '../promise.ts';

export interface AgreementProps {
  readonly challenge: Challenge;
  readonly place: { readonly chainFamily: ChainFamily; readonly ticker: string };
}

/** The limits that the wallet is about to sign, in plain words, and exactly. */
export function Agreement({ challenge: { mandate, message, typedData }, place }: AgreementProps) {
  return (
    <section class="stack-tight" aria-labelledby="agreement-title" data-part="agreement">
      <h2 id="agreement-title">What you sign</h2>
      <p>{promiseOf(mandate, place.chainFamily)}</p>
      <dl class="facts">
        {limitsOf(mandate, place.ticker).map(({ title, text, addresses }) => (
          <Fragment key={title}>
            <dt>{title}</dt>
            <dd>
              {text}
              {addresses.map((address) => (
                <div key={address} class="code">
                  {address}
                </div>
              ))}
            </dd>
          </Fragment>
        ))}
      </dl>
      <details>
        <summary>The exact text</summary>
        <pre class="text code">{message}</pre>
        {typedData !== null && (
          <>
            <p class="small">
              Your wallet shows these fields. “terms” is the hash of the sentence that states the agreement.
            </p>
            <pre class="text code">{JSON.stringify(typedData.message, null, 2)}</pre>
          </>
        )}
      </details>
    </section>
  );
}
