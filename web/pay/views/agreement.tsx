import type { ChainFamily, Challenge } from '../../../src/checkout/wire.ts';
import { say } from '../../i18n/say.ts';
import { promiseOf } from '../enforcement.ts';
import { LimitList } from './limit-list.tsx';

export interface AgreementProps {
  readonly challenge: Challenge;
  readonly payToken: { readonly chainFamily: ChainFamily; readonly ticker: string };
}

/** The limits that the wallet is about to sign, in plain words, and exactly. */
export function Agreement({ challenge: { mandate, message, typedData }, payToken }: AgreementProps) {
  return (
    <section class="stack-tight" aria-labelledby="agreement-title" data-part="agreement">
      <h2 id="agreement-title">{say('agreement.title')}</h2>
      <p>{say(promiseOf(mandate, payToken.chainFamily))}</p>
      <LimitList mandate={mandate} ticker={payToken.ticker} />
      <details>
        <summary>{say('agreement.exact_text')}</summary>
        <pre class="exact code">{message}</pre>
        {typedData !== null && (
          <>
            <p class="small">{say('agreement.fields')}</p>
            <pre class="exact code">{JSON.stringify(typedData.message, null, 2)}</pre>
          </>
        )}
      </details>
    </section>
  );
}
