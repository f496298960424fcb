import type { FailureReason } from '../../machines/effects.ts';
import type { Session, WaitsFor } from '../../src/checkout/wire.ts';
import type { Standing } from './standing.ts';
import { isAgreed, isCharged, isUnagreed } from './standing.ts';
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
    text: 'The new terms begin when your approval is on the chain. Until then the present ones are charged.',
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
        text: `${merchantName} can charge as soon as your approval is on the chain. ${comfort}`,
      };
    case 'balance':
      return {
        tone: 'warn',
        title: `There is too little ${ticker} in the wallet`,
        text: `It has ${chain?.balance ?? 'less'} ${ticker}; ${chain?.missingBalance ?? 'more'} ${ticker} more is needed on ${asked?.playing.label ?? 'its network'}. Send it to ${chain?.wallet ?? 'the wallet'}: the charge then follows by itself.`,
      };
    case 'deposit':
      return { tone: 'plain', title: 'Waiting for your transfer', text: 'The address is for this payment alone.' };
    case 'next_attempt':
      return nextAttempt(standing);
    case 'chain':
      return {
        tone: 'warn',
        title: 'The network does not answer at the moment',
        text: 'Nothing is lost: it goes on by itself when it answers. You need not sign anything again.',
      };
    case 'sold_out':
      return {
        tone: 'warn',
        title: 'Sold out',
        text: `The last one has just been sold. Nothing has been charged; ${merchantName} can tell you whether there will be more.`,
      };
    case 'no_payout_wallet':
    case 'not_enabled':
    case 'merchant_suspended':
      return {
        tone: 'warn',
        title: `${merchantName} cannot be paid at the moment`,
        text: `${comfort} It goes on by itself when ${merchantName} has put it right; there is nothing for you to do.`,
      };
  }
}

function nextAttempt({ outcome }: Standing): Sentence {
  const reason = outcome.payment?.failureReason ?? null;
  // Without a first attempt, the text must not speak of a second one.
  if (reason === null) {
    const text = 'Your approval is on the chain. This goes on by itself in a few seconds.';
    return { tone: 'plain', title: 'Your approval has arrived', text };
  }
  return {
    tone: 'warn',
    title: 'The charge has to be tried again',
    text: `${FAILURES[reason]} It is tried again by itself.`,
  };
}

const FAILURES: { readonly [R in FailureReason]: string } = {
  insufficient_allowance: 'The approval was not enough for it: approve the amount again.',
  insufficient_balance: 'There was too little in the wallet: top it up.',
  pull_reverted: 'The token has refused it: ask whoever issues it, or pay from another wallet.',
  forward_reverted: 'The token could not be delivered to the merchant: tell the merchant.',
  platform_transfer_reverted: 'A share could not be delivered: tell the merchant.',
  distribute_reverted: 'A share could not be delivered: tell the merchant.',
};

function completed(standing: Standing): Sentence {
  const { kind, merchantName, offerName, outcome, isExisting = false } = standing;
  const { subscription } = outcome;
  if (kind === 'payment' || subscription === null) {
    return { tone: 'good', title: 'Paid', text: `${merchantName} has your payment for ${offerName}.` };
  }
  if (subscription.status === 'pending' && subscription.trialEnd !== null) {
    const text = `Your trial of ${offerName} runs until ${dateOf(subscription.trialEnd)}; the first charge is made then.`;
    return { tone: 'good', title: 'Your trial has begun', text };
  }
  const end = subscription.currentPeriodEnd;
  const next = end === null ? '' : ` It is paid until ${dateOf(end)}.`;
  if (isExisting) {
    const payer = isAgreed(standing) ? 'this wallet pays for it from now on' : 'what paid for it before still does';
    const text = `Nothing new was made of ${offerName}; ${payer}.${next}`;
    return { tone: 'good', title: 'You have this subscription already', text };
  }
  if (kind === 'migration') {
    return { tone: 'good', title: 'The new terms are agreed', text: `${offerName} goes on with them.${next}` };
  }
  return {
    tone: 'good',
    title: 'Your subscription is active',
    text: `You have ${offerName} of ${merchantName}.${next}`,
  };
}

function ended({ kind, merchantName, outcome }: Standing): Sentence {
  if (outcome.subscription?.status === 'canceled') {
    const text = `${merchantName} makes no further charges for it. The approval of your wallet stays until you take it back.`;
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

/** Why a wallet asks for two transactions instead of one. */
export function resetSentence(ticker: string): string {
  return `${ticker} takes a new approval only when the old one is 0, so your wallet asks for two confirmations: first to set it to 0, then to approve the amount.`;
}

/** The state of a session's transfer. After an unpaid end, the text does not tell the payer to fill a wallet. */
export function transferSentenceFor(session: Session): Sentence {
  const { merchantName, asked, deposit, outcome } = session;
  const isShort = outcome.progress === 'ended' && outcome.payment?.failureReason === 'insufficient_balance';
  if (!isShort || deposit === null) return sentenceFor(session);
  const text =
    deposit.arrived === '0.00'
      ? 'The amount has not arrived in time. Nothing has been charged. You can start again.'
      : `Only ${deposit.arrived} of ${deposit.amount} ${asked?.ticker ?? ''} has arrived in time. It goes back to the address that you gave for that, else to where it came from; where it does not come, ask ${merchantName}. You can start again.`;
  return { tone: 'bad', title: 'The payment has failed', text };
}

/** The amount that has arrived by transfer, and the amount that is missing; null: no transfer. */
export function transferSentence({ deposit, asked }: Session): string | null {
  if (deposit === null) return null;
  const ticker = asked?.ticker ?? '';
  if (deposit.arrived === '0.00') return 'Nothing has arrived yet.';
  const has =
    deposit.arrived === deposit.confirmed
      ? `${deposit.arrived} of ${deposit.amount} ${ticker} has arrived`
      : `${deposit.arrived} of ${deposit.amount} ${ticker} has arrived and is being confirmed`;
  return BigInt(deposit.missingBaseUnits) === 0n
    ? `${has}. There is nothing more to send.`
    : `${has}. Send the missing ${deposit.missing} ${ticker} to the same address.`;
}
