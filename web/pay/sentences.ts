import type { FailureReason } from '../../machines/effects.ts';
import type { Deposit, Session, WaitsFor } from '../../src/checkout/wire.ts';
import { type MessageKey, say } from '../i18n/say.ts';
import { decimal, money } from '../ui/decimal.ts';
import type { Standing } from './standing.ts';
import { isAgreed, isCharged, isUnagreed } from './standing.ts';
import type { Taking } from './wallets/wallet.ts';
import { dateOf } from './words.ts';

/** A state, and what the payer does about it. */
export interface Sentence {
  readonly tone: 'plain' | 'good' | 'warn' | 'bad';
  readonly title: string;
  readonly text: string;
}

function sentence(tone: Sentence['tone'], title: string, text: string): Sentence {
  return { tone, title, text };
}

/** The present state, in a sentence that says what to do. */
export function sentenceFor(standing: Standing): Sentence {
  if (isUnagreed(standing) && standing.outcome.progress !== 'ended') return unagreed(standing);
  switch (standing.outcome.progress) {
    case 'charging':
      return sentence('plain', say('standing.charging'), say('standing.charging_text'));
    case 'waiting':
      return waiting(standing, standing.outcome.waitsFor ?? 'chain');
    case 'completed':
      return completed(standing);
    case 'ended':
      return ended(standing);
  }
}

function unagreed(standing: Standing): Sentence {
  if (standing.chain === null) return waiting(standing, 'chain');
  return sentence('plain', say('standing.approval'), say('standing.approval_terms'));
}

function waiting(standing: Standing, waitsFor: WaitsFor): Sentence {
  const { merchantName: merchant } = standing;
  const isAgain = isCharged(standing);
  switch (waitsFor) {
    case 'allowance': {
      const text = say(isAgain ? 'standing.approval_again' : 'standing.approval_first', { merchant });
      return sentence('plain', say('standing.approval'), text);
    }
    case 'signature':
      return sentence('warn', say('standing.agreement_over'), say('standing.agreement_over_text', { merchant }));
    case 'balance':
      return lacksBalance(standing);
    case 'deposit':
      return sentence('plain', say('standing.deposit'), say('standing.deposit_text'));
    case 'next_attempt':
      return nextAttempt(standing);
    case 'chain':
      return sentence('warn', say('standing.chain'), say('standing.chain_text'));
    case 'sold_out':
      return sentence('warn', say('common.sold_out'), say('standing.sold_out_text', { merchant }));
    case 'no_payout_wallet':
    case 'not_enabled':
    case 'merchant_suspended': {
      const text = say(isAgain ? 'standing.blocked_again' : 'standing.blocked_first');
      return sentence('warn', say('standing.blocked', { merchant }), text);
    }
  }
}

function lacksBalance({ asked, chain }: Standing): Sentence {
  const ticker = asked?.ticker ?? '';
  const title = say('top_up.title', { ticker });
  if (chain === null || asked === null) return sentence('warn', title, say('standing.balance_unknown'));
  const text = say('standing.balance_text', {
    balance: money(chain.balance, ticker),
    missing: money(chain.missingBalance, ticker),
    network: asked.playing.label,
    wallet: chain.wallet,
  });
  return sentence('warn', title, text);
}

function nextAttempt({ outcome }: Standing): Sentence {
  const reason = outcome.payment?.failureReason ?? null;
  // Without a first attempt, the text must not speak of a second one.
  if (reason === null) {
    return sentence('plain', say('standing.approval_arrived'), say('standing.approval_arrived_text'));
  }
  const text = say('standing.another_try_text', { reason: say(FAILURES[reason]) });
  return sentence('warn', say('standing.another_try'), text);
}

const FAILURES: { readonly [R in FailureReason]: MessageKey } = {
  insufficient_allowance: 'failure.insufficient_allowance',
  insufficient_balance: 'failure.insufficient_balance',
  pull_reverted: 'failure.pull_reverted',
  forward_reverted: 'failure.forward_reverted',
  platform_transfer_reverted: 'failure.share_reverted',
  distribute_reverted: 'failure.share_reverted',
};

function completed(standing: Standing): Sentence {
  const { kind, merchantName: merchant, offerName: offer, outcome, isExisting = false } = standing;
  const { subscription } = outcome;
  if (kind === 'payment' || subscription === null) {
    return sentence('good', say('standing.paid'), say('standing.paid_text', { merchant, offer }));
  }
  if (subscription.status === 'pending' && subscription.trialEnd !== null) {
    const text = say('standing.trial_text', { offer, date: dateOf(subscription.trialEnd) });
    return sentence('good', say('standing.trial'), text);
  }
  const end = subscription.currentPeriodEnd;
  const good = (title: MessageKey, text: string) => sentence('good', say(title), withEnd(text, end));
  if (isExisting) {
    const payer = isAgreed(standing) ? 'standing.existing_this_wallet' : 'standing.existing_same_wallet';
    return good('standing.existing', say(payer, { offer }));
  }
  if (kind === 'migration') return good('standing.new_terms', say('standing.new_terms_text', { offer }));
  return good('standing.active', say('standing.active_text', { offer, merchant }));
}

function withEnd(text: string, end: string | null): string {
  if (end === null) return text;
  return say('standing.with_end', { text, paidUntil: say('standing.paid_until', { date: dateOf(end) }) });
}

function ended({ kind, merchantName: merchant, outcome }: Standing): Sentence {
  if (outcome.subscription?.status === 'canceled') {
    return sentence('plain', say('standing.canceled'), say('standing.canceled_text', { merchant }));
  }
  if (outcome.payment?.status === 'canceled') {
    return sentence('warn', say('standing.payment_canceled'), say('common.nothing_charged'));
  }
  const failure = outcome.payment?.failureReason ?? null;
  const reason = say(failure === null ? 'failure.not_in_time' : FAILURES[failure]);
  const text = say(kind === 'payment' ? 'standing.failed_again' : 'standing.failed_for_good', { reason });
  return sentence('bad', say('standing.failed'), text);
}

/** Why a wallet sends two transactions instead of one. */
export function resetSentence(ticker: string, taking: Exclude<Taking, 'accepted'>): string {
  return say(taking === 'in_one' ? 'pay.reset_in_one' : 'pay.reset_first', { ticker });
}

/** The state of a session's transfer. After an unpaid end, the text does not tell the payer to fill a wallet. */
export function transferSentenceFor(session: Session): Sentence {
  const { merchantName: merchant, asked, deposit, outcome } = session;
  if (outcome.progress === 'waiting' && outcome.waitsFor === 'sold_out') {
    return sentence('warn', say('common.sold_out'), say('transfer.sold_out_now', { merchant }));
  }
  if (outcome.payment?.status === 'canceled' && outcome.payment.blockedReason === 'sold_out') {
    return sentence('warn', say('common.sold_out'), say('transfer.sold_out_before'));
  }
  const isShort = outcome.progress === 'ended' && outcome.payment?.failureReason === 'insufficient_balance';
  if (!isShort || deposit === null) return sentenceFor(session);
  const sums = { arrived: decimal(deposit.arrived), amount: money(deposit.amount, asked?.ticker ?? '') };
  const text = deposit.arrived === '0.00' ? say('transfer.nothing_in_time') : say('transfer.too_little_in_time', sums);
  return sentence('bad', say('standing.failed'), text);
}

type Unused = Deposit['unused'][number];

/** The payer can get it back by naming an address, or another one. */
export function needsRefundAddress({ held }: Unused): boolean {
  return held === 'no_refund_wallet' || held === 'refund_refused';
}

/** What happens to money that a payment does not use. */
export function unusedSentence({ amount, ticker, fate, held, to }: Unused): string {
  const sum = money(amount, ticker);
  const address = to ?? '';
  if (fate === 'refunded') return say('refund.sent', { sum, address });
  if (fate === 'refunding') return say('refund.on_its_way', { sum, address });
  switch (held) {
    case 'no_refund_wallet':
      return say('refund.held_no_wallet', { sum });
    case 'refund_refused':
      return say('refund.held_refused', { sum });
    case 'below_cost':
      return say('refund.held_below_cost', { sum });
    default:
      return say('refund.held', { sum });
  }
}

/** The amount that has arrived by transfer, and the amount that is missing; null: no transfer. */
export function transferSentence({ deposit, asked }: Session): string | null {
  if (deposit === null) return null;
  const ticker = asked?.ticker ?? '';
  if (deposit.arrived === '0.00') return say('transfer.nothing_yet');
  const sums = { arrived: decimal(deposit.arrived), amount: money(deposit.amount, ticker) };
  const isConfirmed = deposit.arrived === deposit.confirmed;
  if (BigInt(deposit.missingBaseUnits) === 0n)
    return say(isConfirmed ? 'transfer.arrived' : 'transfer.confirming', sums);
  const missing = money(deposit.missing, ticker);
  return say(isConfirmed ? 'transfer.arrived_partly' : 'transfer.confirming_partly', { ...sums, missing });
}
