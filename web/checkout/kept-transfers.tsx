import type { Session } from '../../src/checkout/wire.ts';
import { say } from '../i18n/say.ts';
import { findSession } from '../pay/checkout-api.ts';
import { isUnderWay } from '../pay/flow.ts';
import { needsRefundAddress, transferSentence, transferSentenceFor } from '../pay/sentences.ts';
import { dropTransfer, keptTransfers, type Memory } from '../pay/session-memory.ts';
import { Question } from '../pay/views/whole-page.tsx';
import { dateOf } from '../pay/words.ts';
import { money } from '../ui/decimal.ts';

/** A transfer that this browser has begun, in this tab or in one that is closed. */
export interface KeptTransfer {
  readonly memory: Memory;
  readonly session: Session;
}

/**
 * The newest one of an offer whose end no tab has shown, or by the merchant's link for a refund any that has no
 * address; null: none. Throws an ApiError.
 */
export async function transferToContinue(offerId: string): Promise<KeptTransfer | null> {
  for (const memory of keptTransfers(offerId).filter(({ isOver }) => isForRefund() || !isOver)) {
    const session = await findSession(memory.sessionKey);
    if (session !== null) return { memory, session };
    dropTransfer(offerId, memory.sessionKey);
  }
  return null;
}

/** The merchant's link, with which a payer names where a refund goes. */
export function isForRefund(): boolean {
  return new URLSearchParams(location.search).has('refund');
}

/** Money is still expected for it, or is kept until the payer names an address. */
export function isUnfinished(session: Session): boolean {
  return isUnderWay(session) || (session.deposit?.unused.some(needsRefundAddress) ?? false);
}

export interface ContinueTransferProps extends KeptTransfer {
  readonly onContinue: () => void;
  readonly onNew: () => void;
}

/** Before an empty form: somebody who has sent money must not send it twice. */
export function ContinueTransfer({ memory, session, onContinue, onNew }: ContinueTransferProps) {
  const isOpen = isUnderWay(session);
  const amount = money(session.deposit?.amount ?? '0.00', session.asked?.ticker ?? '');
  const state = (isOpen ? transferSentence(session) : null) ?? transferSentenceFor(session).text;
  const begin = () => {
    if (!isUnfinished(session)) dropTransfer(session.offerId, memory.sessionKey);
    onNew();
  };
  return (
    <Question
      title={say(isOpen ? 'transfer.under_way' : 'transfer.earlier')}
      text={say('transfer.begun', { amount, offer: session.offerName, date: dateOf(session.createdAt), state })}
      safe={{ label: say('transfer.continue'), onClick: onContinue }}
      other={{ label: say('transfer.begin_new'), onClick: begin }}
    />
  );
}
