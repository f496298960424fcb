import type { FailureReason } from '../../machines/effects.ts';
import type { Deposit, Session, WaitsFor } from '../../src/checkout/wire.ts';
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

/** The present state, in a sentence that says what to do. */
export function sentenceFor(standing: Standing): Sentence {
  if (isUnagreed(standing) && standing.outcome.progress !== 'ended') return unagreed(standing);
  switch (standing.outcome.progress) {
    case 'charging':
      return { tone: 'plain', title: 'Being charged', text: 'This takes a few seconds. You can leave the page open.' };
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
  return {
    tone: 'plain',
    title: 'Waiting for your approval',
    text: 'The new terms begin when your approval is on the chain. Until then, the present terms apply.',
  };
}

function waiting(standing: Standing, waitsFor: WaitsFor): Sentence {
  const { merchantName, asked, chain } = standing;
  const ticker = asked?.ticker ?? '';
  const comfort = isCharged(standing) ? 'Nothing is charged until then.' : 'Nothing has been charged.';
  switch (waitsFor) {
    case 'allowance':
      return {
        tone: 'plain',
        title: 'Waiting for your approval',
        text: `${merchantName} can charge your wallet as soon as your approval is on the chain. ${comfort}`,
      };
    case 'signature':
      return {
        tone: 'warn',
        title: 'The agreement is over',
        text: `You have ended it on the chain, or all its charges are made. Nothing is charged until you sign again. Ask ${merchantName} for a link if you want to continue.`,
      };
    case 'balance':
      return {
        tone: 'warn',
        title: `The wallet has too little ${ticker}`,
        text: `It has ${chain ? money(chain.balance, ticker) : 'less'} and needs ${chain ? money(chain.missingBalance, ticker) : 'some'} more on ${asked?.playing.label ?? 'its network'}. Send this amount to ${chain?.wallet ?? 'the wallet'}. The charge then follows automatically.`,
      };
    case 'deposit':
      return { tone: 'plain', title: 'Waiting for your transfer', text: 'Use the address for this payment only.' };
    case 'next_attempt':
      return nextAttempt(standing);
    case 'chain':
      return {
        tone: 'warn',
        title: 'The network does not answer at the moment',
        text: 'Nothing is lost. This continues automatically when the network answers. You do not need to sign again.',
      };
    case 'sold_out':
      return {
        tone: 'warn',
        title: 'Sold out',
        text: `The last one has just been sold. Nothing has been charged. Ask ${merchantName} if more will follow.`,
      };
    case 'no_payout_wallet':
    case 'not_enabled':
    case 'merchant_suspended':
      return {
        tone: 'warn',
        title: `${merchantName} cannot receive payments at the moment`,
        text: `The charge follows automatically when this is solved. ${comfort} You do not need to do anything.`,
      };
  }
}

function nextAttempt({ outcome }: Standing): Sentence {
  const reason = outcome.payment?.failureReason ?? null;
  // Without a first attempt, the text must not speak of a second one.
  if (reason === null) {
    const text = 'Your approval is on the chain. This continues automatically in a few seconds.';
    return { tone: 'plain', title: 'Your approval has arrived', text };
  }
  return {
    tone: 'warn',
    title: 'The charge failed; another try follows',
    text: `${FAILURES[reason]} The service tries again automatically.`,
  };
}

const FAILURES: { readonly [R in FailureReason]: string } = {
  insufficient_allowance: 'The approval was too small. Approve the amount again.',
  insufficient_balance: 'The wallet had too little. Send more to it.',
  pull_reverted: 'The token refused the charge. Ask the issuer of the token, or pay from another wallet.',
  forward_reverted: 'The payment could not be delivered to the merchant. Inform the merchant.',
  platform_transfer_reverted: 'A share of the payment could not be delivered. Inform the merchant.',
  distribute_reverted: 'A share of the payment could not be delivered. Inform the merchant.',
};

function completed(standing: Standing): Sentence {
  const { kind, merchantName, offerName, outcome, isExisting = false } = standing;
  const { subscription } = outcome;
  if (kind === 'payment' || subscription === null) {
    return { tone: 'good', title: 'Paid', text: `${merchantName} has received your payment for ${offerName}.` };
  }
  if (subscription.status === 'pending' && subscription.trialEnd !== null) {
    const text = `Your trial of ${offerName} ends on ${dateOf(subscription.trialEnd)}. The first charge follows then.`;
    return { tone: 'good', title: 'Your trial has begun', text };
  }
  const end = subscription.currentPeriodEnd;
  const next = end === null ? '' : ` It is paid until ${dateOf(end)}.`;
  if (isExisting) {
    const payer = isAgreed(standing) ? 'This wallet pays for it from now on' : 'The same wallet as before pays for it';
    const text = `No second subscription to ${offerName} was created. ${payer}.${next}`;
    return { tone: 'good', title: 'You have this subscription already', text };
  }
  if (kind === 'migration') {
    return {
      tone: 'good',
      title: 'The new terms are agreed',
      text: `${offerName} continues with the new terms.${next}`,
    };
  }
  return {
    tone: 'good',
    title: 'Your subscription is active',
    text: `You have subscribed to ${offerName} of ${merchantName}.${next}`,
  };
}

function ended({ kind, merchantName, outcome }: Standing): Sentence {
  if (outcome.subscription?.status === 'canceled') {
    const text = `${merchantName} makes no further charges for it. The approval of your wallet stays valid until you take it back.`;
    return { tone: 'plain', title: 'This subscription is canceled', text };
  }
  const reason = outcome.payment?.failureReason ?? null;
  if (outcome.payment?.status === 'canceled') {
    return { tone: 'warn', title: 'This payment was canceled', text: 'Nothing has been charged.' };
  }
  const why = reason === null ? 'It was not paid in time.' : FAILURES[reason];
  const again = kind === 'payment' ? 'Nothing has been charged. You can start again.' : 'Nothing has been charged.';
  return { tone: 'bad', title: 'The payment has failed', text: `${why} ${again}` };
}

/** Why a wallet sends two transactions instead of one. */
export function resetSentence(ticker: string, taking: Exclude<Taking, 'accepted'>): string {
  const why = `${ticker} accepts a new approval only when the old one is 0.`;
  return taking === 'in_one'
    ? `${why} Your wallet does both in one confirmation: it sets the approval to 0 and approves the amount.`
    : `${why} Your wallet therefore asks for two confirmations: first to set the approval to 0, then to approve the amount.`;
}

/** The state of a session's transfer. After an unpaid end, the text does not tell the payer to fill a wallet. */
export function transferSentenceFor(session: Session): Sentence {
  const { merchantName, asked, deposit, outcome } = session;
  if (outcome.progress === 'waiting' && outcome.waitsFor === 'sold_out') {
    const text = `The last one has just been sold. Do not send anything now. Ask ${merchantName} if more will follow.`;
    return { tone: 'warn', title: 'Sold out', text };
  }
  if (outcome.payment?.status === 'canceled' && outcome.payment.blockedReason === 'sold_out') {
    const text = 'The last one was sold before your transfer arrived. Nothing has been charged.';
    return { tone: 'warn', title: 'Sold out', text };
  }
  const isShort = outcome.progress === 'ended' && outcome.payment?.failureReason === 'insufficient_balance';
  if (!isShort || deposit === null) return sentenceFor(session);
  const text =
    deposit.arrived === '0.00'
      ? 'The amount did not arrive in time. Nothing has been charged. You can start again.'
      : `Only ${deposit.arrived} of ${deposit.amount} ${asked?.ticker ?? ''} arrived in time. Nothing has been charged. You can start again.`;
  return { tone: 'bad', title: 'The payment has failed', text };
}

type Unused = Deposit['unused'][number];

/** The payer can get it back by naming an address, or another one. */
export function needsRefundAddress({ held }: Unused): boolean {
  return held === 'no_refund_wallet' || held === 'refund_refused';
}

/** What happens to money that a payment does not use. */
export function unusedSentence({ amount, ticker, fate, held, to }: Unused): string {
  const sum = money(amount, ticker);
  if (fate === 'refunded') return `${sum} was sent to ${to}.`;
  if (fate === 'refunding') return `${sum} is on its way to ${to}.`;
  switch (held) {
    case 'no_refund_wallet':
      return `${sum} is kept for you. Enter an address below, and it is sent there.`;
    case 'refund_refused':
      return `${sum} is kept for you, because the address for refunds did not accept it. Enter another one below.`;
    case 'below_cost':
      return `${sum} is kept, because a refund would cost more than it is worth.`;
    default:
      return `${sum} is kept. The merchant can ask for it to be sent back.`;
  }
}

/** The amount that has arrived by transfer, and the amount that is missing; null: no transfer. */
export function transferSentence({ deposit, asked }: Session): string | null {
  if (deposit === null) return null;
  const ticker = asked?.ticker ?? '';
  if (deposit.arrived === '0.00') return 'Nothing has arrived yet.';
  const has =
    deposit.arrived === deposit.confirmed
      ? `${decimal(deposit.arrived)} of ${money(deposit.amount, ticker)} has arrived`
      : `${decimal(deposit.arrived)} of ${money(deposit.amount, ticker)} has arrived and is being confirmed`;
  return BigInt(deposit.missingBaseUnits) === 0n
    ? `${has}. You do not need to send more.`
    : `${has}. Send the missing ${money(deposit.missing, ticker)} to the same address.`;
}
