import { FAILURE_TEXTS } from '../../machines/rules/failure-texts.ts';
import type { Deposit, Session, WaitsFor } from '../../src/checkout/wire.ts';
import { type MessageKey, say } from '../i18n/say.ts';
import { decimal, money } from '../ui/decimal.ts';
import type { Purchase } from './purchase.ts';
import { isAgreed, isChangeFailed, isCharged, isUnagreed } from './purchase.ts';
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
export function sentenceFor(purchase: Purchase): Sentence {
  if (isUnagreed(purchase) && purchase.outcome.progress !== 'ended') return unagreed(purchase);
  switch (purchase.outcome.progress) {
    case 'charging':
      return sentence('plain', say('purchase.charging'), say('purchase.charging_text'));
    case 'waiting':
      return waiting(purchase, purchase.outcome.waitsFor ?? 'chain');
    case 'completed':
      return completed(purchase);
    case 'ended':
      return ended(purchase);
  }
}

function unagreed(purchase: Purchase): Sentence {
  const reason = purchase.outcome.payment?.failureReason ?? null;
  if (isChangeFailed(purchase) && reason !== null) {
    return sentence('bad', say('change.failed'), say('change.failed_text', { reason: say(FAILURE_TEXTS[reason]) }));
  }
  if (purchase.chain === null) return waiting(purchase, 'chain');
  return smallApproval(purchase) ?? sentence('plain', say('purchase.approval'), say('purchase.approval_terms'));
}

/** Wallets let their owner lower an approval. null: there is none, or it suffices. */
function smallApproval({ asked, chain }: Purchase): Sentence | null {
  if (asked === null || chain === null) return null;
  if (chain.allowanceBaseUnits === '0' || chain.missingAllowanceBaseUnits === '0') return null;
  const sums = { approved: money(chain.allowance, asked.ticker), needed: money(asked.least, asked.ticker) };
  return sentence('warn', say('purchase.approval_small'), say('purchase.approval_small_text', sums));
}

function waiting(purchase: Purchase, waitsFor: WaitsFor): Sentence {
  const { merchantName: merchant } = purchase;
  const isAgain = isCharged(purchase);
  switch (waitsFor) {
    case 'allowance': {
      const text = say(isAgain ? 'purchase.approval_again' : 'purchase.approval_first', { merchant });
      return smallApproval(purchase) ?? sentence('plain', say('purchase.approval'), text);
    }
    case 'signature':
      return sentence('warn', say('purchase.agreement_over'), say('purchase.agreement_over_text', { merchant }));
    case 'balance':
      return lacksBalance(purchase);
    case 'deposit':
      return sentence('plain', say('purchase.deposit'), say('purchase.deposit_text'));
    case 'next_attempt':
      return nextAttempt(purchase);
    case 'chain':
      return sentence('warn', say('purchase.chain'), say('purchase.chain_text'));
    case 'sold_out':
      return sentence('warn', say('common.sold_out'), say('purchase.sold_out_text', { merchant }));
    case 'no_payout_wallet':
    case 'not_enabled':
    case 'merchant_suspended': {
      const text = say(isAgain ? 'purchase.blocked_again' : 'purchase.blocked_first');
      return sentence('warn', say('purchase.blocked', { merchant }), text);
    }
  }
}

function lacksBalance({ asked, chain }: Purchase): Sentence {
  const ticker = asked?.ticker ?? '';
  const title = say('top_up.title', { ticker });
  if (chain === null || asked === null) return sentence('warn', title, say('purchase.balance_unknown'));
  const text = say('purchase.balance_text', {
    balance: money(chain.balance, ticker),
    missing: money(chain.missingBalance, ticker),
    network: asked.playing.label,
    wallet: chain.wallet,
  });
  return sentence('warn', title, text);
}

function nextAttempt({ outcome }: Purchase): Sentence {
  const reason = outcome.payment?.failureReason ?? null;
  // Without a first attempt, the text must not speak of a second one.
  if (reason === null) {
    return sentence('plain', say('purchase.approval_arrived'), say('purchase.approval_arrived_text'));
  }
  const text = say('purchase.another_try_text', { reason: say(FAILURE_TEXTS[reason]) });
  return sentence('warn', say('purchase.another_try'), text);
}

function completed(purchase: Purchase): Sentence {
  const { kind, merchantName: merchant, offerName: offer, outcome, isExisting = false } = purchase;
  const { subscription } = outcome;
  if (kind === 'payment' || subscription === null) {
    return sentence('good', say('purchase.paid'), say('purchase.paid_text', { merchant, offer }));
  }
  if (subscription.status === 'pending' && subscription.trialEnd !== null) {
    const first = { offer, date: dateOf(subscription.trialEnd) };
    const used = subscription.hasThreshold ? 'purchase.metered_early_text' : 'purchase.metered_text';
    if (subscription.isMetered) return sentence('good', say('purchase.metered'), say(used, first));
    const text = say('purchase.trial_text', first);
    return sentence('good', say('purchase.trial'), text);
  }
  // Use is not paid ahead.
  const end = subscription.isMetered ? null : subscription.currentPeriodEnd;
  const good = (title: MessageKey, text: string) => sentence('good', say(title), withEnd(text, end));
  // Its first charge may be of this very visit, if the wallet had signed and not approved in a tab that is closed.
  if (isExisting && outcome.payment?.status !== 'settled') {
    const payer = isAgreed(purchase) ? 'purchase.existing_this_wallet' : 'purchase.existing_same_wallet';
    return good('purchase.existing', say(payer, { offer }));
  }
  if (kind === 'migration') return good('purchase.new_terms', say('purchase.new_terms_text', { offer }));
  return good('purchase.active', say('purchase.active_text', { offer, merchant }));
}

function withEnd(text: string, end: string | null): string {
  if (end === null) return text;
  return say('purchase.with_end', { text, paidUntil: say('purchase.paid_until', { date: dateOf(end) }) });
}

function ended({ kind, merchantName: merchant, outcome }: Purchase): Sentence {
  if (outcome.subscription?.status === 'canceled') {
    return sentence('plain', say('purchase.canceled'), say('purchase.canceled_text', { merchant }));
  }
  if (outcome.payment?.status === 'canceled') {
    return sentence('warn', say('purchase.payment_canceled'), say('common.nothing_charged'));
  }
  const failure = outcome.payment?.failureReason ?? null;
  const reason = say(failure === null ? 'failure.not_in_time' : FAILURE_TEXTS[failure]);
  const text = say(kind === 'payment' ? 'purchase.failed_again' : 'purchase.failed_for_good', { reason });
  return sentence('bad', say('purchase.failed'), text);
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
  return sentence('bad', say('purchase.failed'), text);
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
