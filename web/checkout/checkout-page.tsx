import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Offer, Playing } from '../../src/checkout/wire.ts';
import { say } from '../i18n/say.ts';
import { findSession, offerPath } from '../pay/checkout-api.ts';
import { closeOnEscape, embedder, notifyEmbedder } from '../pay/embedding.ts';
import { type Problem, problemOf } from '../pay/problem.ts';
import {
  clearFragment,
  continueWith,
  forget,
  type Memory,
  recall,
  sessionFromElsewhere,
} from '../pay/session-memory.ts';
import { TestBanner } from '../pay/views/test-banner.tsx';
import { Failed, Loading, Question } from '../pay/views/whole-page.tsx';
import { callApi, noteServiceTime } from '../ui/api.ts';
import { Notice } from '../ui/notice.tsx';
import { useAccent } from '../ui/use-accent.ts';
import { useTitle } from '../ui/use-title.ts';
import { Checkout, type CheckoutProps } from './checkout.tsx';
import { ContinueTransfer, isForRefund, type KeptTransfer, transferToContinue } from './kept-transfers.tsx';
import { OfferView } from './offer-view.tsx';

export interface Loaded extends Pick<CheckoutProps, 'offer' | 'memory' | 'session'> {
  readonly kept: KeptTransfer | null;
}

/** An offer, and this tab's session with it. `first` is shown at once; null: the page loads it. */
export function CheckoutPage({ offerId, first }: { readonly offerId: string; readonly first: Loaded | null }) {
  const [loaded, setLoaded] = useState(first);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [round, setRound] = useState(0);
  const [elsewhere, setElsewhere] = useState(() => sessionFromElsewhere(offerId));
  // A frame without storage has its memory here only.
  const [continued, setContinued] = useState<Memory | null>(null);
  // The payer has chosen a new purchase.
  const [isNew, setNew] = useState(false);
  useEffect(() => {
    if (elsewhere !== null) return;
    if (loaded === null) {
      load(offerId, continued, isNew).then(setLoaded, (error: unknown) => setProblem(problemOf(error)));
    }
    if (embedder() !== null) notifyEmbedder({ type: 'ready' });
  }, [offerId, round, elsewhere]);
  useEffect(closeOnEscape, []);
  const onRestart = useCallback(() => {
    forget(offerId);
    setNew(true);
    setContinued(null);
    setLoaded(null);
    setRound((before) => before + 1);
  }, [offerId]);
  const onRefused = useCallback(() => {
    // A lost answer is not a refusal: the session may exist, and may hold the last unit itself.
    load(offerId, continued, true).then(
      (now) => {
        setLoaded((before) => before && (now.session === null ? { ...before, offer: now.offer } : now));
      },
      () => {},
    );
  }, [offerId, continued]);
  const onContinue = (begun: Memory) => {
    continueWith(offerId, begun);
    setContinued(begun);
    setElsewhere(null);
    setLoaded(null);
    setRound((before) => before + 1);
  };
  const onOwn = () => {
    clearFragment();
    setElsewhere(null);
  };
  useAccent(loaded?.offer.branding.accentColor ?? null);
  if (problem !== null) return <Failed problem={problem} />;
  if (elsewhere !== null) return <FromElsewhere onContinue={() => onContinue(elsewhere)} onOwn={onOwn} />;
  if (loaded === null) return <Loading />;
  const { offer, session, memory, kept } = loaded;
  if (kept !== null && !isNew) {
    return <ContinueTransfer {...kept} onContinue={() => onContinue(kept.memory)} onNew={() => setNew(true)} />;
  }
  // An empty form would ask for the money again.
  if (isForRefund() && session === null && !isNew) {
    const { merchantName: merchant } = offer;
    return <Failed problem={{ title: say('refund.name_address'), text: say('refund.elsewhere_text', { merchant }) }} />;
  }
  return (
    <main class="page columns">
      {offer.isSandbox && <TestBanner playing={playingOf(offer)} />}
      <OfferView offer={offer} />
      <div class="card">
        {offer.isOpen || session !== null ? (
          <Checkout
            key={`${round} ${session !== null}`}
            {...{ offer, session, memory, onRefused }}
            onRestart={offer.isOpen ? onRestart : null}
          />
        ) : (
          <Closed offer={offer} />
        )}
      </div>
    </main>
  );
}

function playingOf({ pricing }: Offer): Playing[] {
  return pricing.flatMap(({ acceptedTokens }) => acceptedTokens.flatMap(({ playing }) => playing ?? []));
}

/** The checkout with the offer that came with the page; null: it came with none, or something else is shown first. */
export async function loadFirst(offerId: string): Promise<Loaded | null> {
  const text = document.querySelector('#data')?.textContent;
  if (!text || sessionFromElsewhere(offerId) !== null) return null;
  const { at, offer }: { readonly at: string; readonly offer: Offer } = JSON.parse(text);
  noteServiceTime(at);
  return load(offerId, null, false, offer).catch(() => null);
}

/** An unknown key belongs to a session that was never made; the session may still be made with it. */
async function load(
  offerId: string,
  continued: Memory | null,
  isNew: boolean,
  known: Offer | null = null,
): Promise<Loaded> {
  const memory = recall(offerId) ?? continued;
  const [offer, session, kept] = await Promise.all([
    known ?? callApi<Offer>(offerPath(offerId)),
    memory === null || memory.isDraft === true ? null : findSession(memory.sessionKey),
    memory === null && !isNew ? transferToContinue(offerId) : null,
  ]);
  return session !== null && session.offerId !== offer.id
    ? { offer, kept, memory: null, session: null }
    : { offer, kept, memory, session };
}

/** A link can name the session of a stranger, who would then choose the wallet that a refund goes to. */
function FromElsewhere({ onContinue, onOwn }: { readonly onContinue: () => void; readonly onOwn: () => void }) {
  return (
    <Question
      title={say('checkout.elsewhere_title')}
      text={say('checkout.elsewhere_text')}
      safe={{ label: say('checkout.elsewhere_own'), onClick: onOwn }}
      other={{ label: say('checkout.elsewhere_continue'), onClick: onContinue }}
      isEven
    />
  );
}

function Closed({ offer }: { readonly offer: Offer }) {
  useTitle(say('checkout.closed'), offer.name, offer.merchantName);
  return (
    <Notice tone="warn" title={say('checkout.closed_title')}>
      <p>{say(`checkout.closed_${offer.closedFor ?? 'other'}`, { merchant: offer.merchantName })}</p>
    </Notice>
  );
}
