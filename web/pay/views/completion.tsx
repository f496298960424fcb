import { useEffect, useState } from 'preact/hooks';
import { say } from '../../i18n/say.ts';
import { Button } from '../../ui/button.tsx';
import { afterCompletionOf, withIds } from '../after-completion.ts';
import { embedder, notifyEmbedder } from '../embedding.ts';
import { Receipt, type ReceiptProps } from './receipt.tsx';

const REDIRECT_S = 8;

/** The receipt, the merchant's message, and a way back. */
export function Completion({ purchase, proofUrl }: ReceiptProps) {
  const { message, redirect } = afterCompletionOf(purchase.outcome.afterCompletion);
  const { subscription, payment } = purchase.outcome;
  const isFramed = embedder() !== null;
  const ids = { sessionId: purchase.id, subscriptionId: subscription?.id, paymentId: payment?.id };
  useEffect(() => {
    const [subscriptionId, paymentId] = [subscription?.id ?? null, payment?.id ?? null];
    notifyEmbedder({ type: 'completed', kind: purchase.kind, subscriptionId, paymentId });
  }, [subscription?.id]);
  return (
    <>
      <Receipt purchase={purchase} proofUrl={proofUrl} />
      {message !== null && (
        <p class="typed" dir="auto">
          {message}
        </p>
      )}
      {redirect !== null && !isFramed && <Redirect to={withIds(redirect, ids)} />}
      {isFramed && (
        <Button variant="primary" onClick={() => notifyEmbedder({ type: 'closed' })}>
          {say('completion.done')}
        </Button>
      )}
    </>
  );
}

/** Leaves automatically after a while, unless the payer stops it. */
function Redirect({ to }: { readonly to: URL }) {
  const [left, setLeft] = useState<number | null>(REDIRECT_S);
  useEffect(() => {
    if (left === null) return;
    if (left === 0) {
      location.assign(to.href);
      return;
    }
    const timer = setTimeout(() => setLeft(left - 1), 1_000);
    return () => clearTimeout(timer);
  }, [left]);
  return (
    <div class="row">
      <a class="button button-primary" href={to.href} rel="noreferrer">
        {say('completion.continue_to', { host: to.host })}
      </a>
      {left !== null && (
        <Button variant="quiet" onClick={() => setLeft(null)}>
          {say('completion.stay')}
        </Button>
      )}
      {left !== null && <span class="small soft">{say('completion.goes_in', { seconds: left })}</span>}
    </div>
  );
}
