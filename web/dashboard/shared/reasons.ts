import { unknownCase } from '../../../machines/unknown-case.ts';
import type { Charged, Payment, Subscription } from '../merchant-api.ts';

const FAILURES: { readonly [R in NonNullable<Payment['failureReason']>]: string } = {
  insufficient_allowance: 'The wallet has not approved enough.',
  insufficient_balance: 'The wallet has too little of the token.',
  pull_reverted: 'The chain refused to take the money from the wallet.',
  forward_reverted: 'The chain refused the payout to the merchant.',
  platform_transfer_reverted: 'The chain refused the payment of the fee.',
  distribute_reverted: 'The chain refused the payment of the splits.',
};

/** Why a payment has failed; null: it has not. */
export function failureText({ failureReason }: Pick<Payment, 'failureReason'>): string | null {
  return failureReason === null ? null : FAILURES[failureReason];
}

const BLOCKS: { readonly [R in NonNullable<Subscription['blockedReason']>]: string } = {
  no_payout_wallet: 'You have no payout wallet for its token. Set one in the settings.',
  chain_not_enabled: 'The chain of its token is not enabled on this installation.',
  sold_out: 'The offer is sold out.',
  merchant_suspended: 'Your account is suspended.',
  undeliverable: 'A recipient cannot receive its share. Check your payout wallet.',
};

/** Why a charge waits although the payer is not the cause; null: none waits so. */
export function blockText({ blockedReason }: Pick<Subscription, 'blockedReason'>): string | null {
  return blockedReason === null ? null : BLOCKS[blockedReason];
}

/** Why a live subscription may bring no next payment; null: nothing is known. Its state says that it ends. */
export function troubleOf(subscription: Subscription): string | null {
  const { status, allowanceConfirmed, consecutiveFailures } = subscription;
  if (status === 'canceled') return null;
  const block = blockText(subscription);
  if (block !== null) return block;
  if (status === 'pending') return null;
  if (!allowanceConfirmed) return 'The approval of the wallet is missing.';
  if (status !== 'past_due') return null;
  return consecutiveFailures === 1 ? 'An attempt has failed.' : `${consecutiveFailures} attempts in a row have failed.`;
}

const SKIPS: { readonly [reason: string]: string } = {
  not_authorized: 'the payer has not authorized it yet',
  in_flight: 'another attempt is in flight',
  no_payout_wallet: 'you have no payout wallet for its token',
  not_enabled: 'the chain of its token is not enabled here',
  sold_out: 'the offer is sold out',
  paused: 'the subscription is paused',
  nothing_to_charge: 'nothing was used that is to be paid',
};

/** The outcome of a charge in the sandbox. */
export function chargedText({ outcome, reason }: Charged): string {
  const why = reason === undefined ? '' : `: ${SKIPS[reason] ?? reason}`;
  switch (outcome) {
    case 'settled':
      return 'The charge is settled.';
    case 'failed':
      return `The charge has failed${why}.`;
    case 'pending':
      return 'The charge is on its way. Refresh the page in a moment.';
    case 'skipped':
      return `No charge was made${why}.`;
    case 'canceled':
      return 'A limit has ended the subscription.';
    default:
      return unknownCase(outcome, 'outcome');
  }
}
