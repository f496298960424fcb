import type { GuardVerdict } from '../../engine/candidates.ts';

/** The meaning when a guard does not hold, and when it holds (for a transition that needs the opposite). */
interface Sentences {
  readonly no: string;
  readonly yes: string;
}

/** The guards of all machines, in words; a test finds missing ones. */
const GUARDS: { readonly [name: string]: Sentences } = {
  isDue: { no: 'it is not due yet', yes: 'it is due' },
  hasFallenDue: { no: 'nothing has fallen due yet', yes: 'it has fallen due' },
  isCheckDue: { no: 'no check of the chain is due', yes: 'a check of the chain is due' },
  isAuthorizedOrForced: {
    no: 'the payer has not authorized it: no allowance has been seen to cover the charge',
    yes: 'the payer has authorized it',
  },
  canBeAttempted: { no: 'something that a charge needs is not there', yes: 'everything that a charge needs is there' },
  isDeferred: { no: 'no due charge was put off', yes: 'a due charge was put off' },
  isDeferredFor: { no: 'no due charge waits for that', yes: 'a due charge waits for that' },
  isCancelDue: { no: 'no scheduled cancel has fallen due', yes: 'a scheduled cancel has fallen due' },
  hasAllCycles: { no: 'not all of its cycles are paid', yes: 'all of its cycles are paid' },
  isOpenAttempt: { no: 'it is not about the attempt that is open', yes: 'it is about the open attempt' },
  isOpenCycle: { no: 'it is not about the cycle that is open', yes: 'it is about the open cycle' },
  isGivenUpCycle: { no: 'it is about no cycle that was given up', yes: 'it is about a cycle that was given up' },
  isFirstCycle: { no: 'it is not the first cycle', yes: 'it is the first cycle' },
  isOpenAttemptAndLast: {
    no: 'it is not the last attempt: neither grace nor maxFailedCycles is used up',
    yes: 'it is the last attempt',
  },
  isLastFailed: { no: 'it is not the attempt that had failed last', yes: 'it is the attempt that had failed last' },
  isPaidCycle: { no: 'that cycle is not paid', yes: 'that cycle is paid' },
  hasReorged: { no: 'no cycle was reorged out', yes: 'a cycle was reorged out' },
  isMigrationReady: {
    no: 'no migration is both signed and covered',
    yes: 'a migration is signed and covered',
  },
  isMigrationOpen: { no: 'no migration is open', yes: 'a migration is open' },
  isCoveredWallet: {
    no: 'the allowance of that wallet does not cover the new terms',
    yes: 'the allowance of that wallet covers the new terms',
  },
  changesMigration: { no: 'it is nothing new about an open migration', yes: 'it is new about an open migration' },
  completesMigration: { no: 'it completes no migration', yes: 'it completes a migration' },
  waitsForPeriodEnd: {
    no: 'there is no paid period to wait for the end of',
    yes: 'it waits for the end of the period',
  },
  isCancelScheduled: { no: 'no cancel is scheduled', yes: 'a cancel is scheduled' },
  firstCovers: { no: 'it is not the first allowance that covers', yes: 'it is the first allowance that covers' },
  wouldNowSucceed: {
    no: 'a further attempt would not succeed now, or has just been brought forward',
    yes: 'a further attempt would succeed now',
  },
  changesAllowance: { no: 'it is what is known already', yes: 'it is new' },
  isAwaitedCheck: { no: 'no check is awaited', yes: 'a check is awaited' },
  findsShort: { no: 'nothing is short', yes: 'something is short' },
  movesForward: { no: 'the clock only moves forward', yes: 'the clock moves forward' },
  hasNoPayer: { no: 'a payer wallet is linked already', yes: 'no payer wallet is linked' },
  changesPayer: { no: 'it is the wallet that is billed already', yes: 'it is another wallet' },

  isCycle: { no: 'it is a one-off payment', yes: "it is a subscription's cycle: cancel the subscription" },
  isWithdrawn: { no: 'its subscription has not taken it back', yes: 'its subscription has taken it back' },
  isForced: { no: 'no failure is forced', yes: 'a failure is forced' },
  opensForced: { no: 'no failure is forced', yes: 'a failure is forced' },
  opensNext: { no: 'it is no further attempt', yes: 'it is a further attempt' },
  isThisAttempt: { no: 'it is about another attempt', yes: 'it is about this attempt' },
  isMined: { no: 'it is over, or about another attempt', yes: 'it is about this attempt as it stands' },
  isKnownAttempt: { no: 'no such attempt was asked for', yes: 'it is about this attempt or an earlier one' },
  isPaidAfterAll: { no: 'no such attempt was asked for', yes: 'it is about this attempt or an earlier one' },
  isLandedAttempt: { no: 'it is about another attempt', yes: 'it is about the attempt that has landed' },
  isThisSubmission: {
    no: 'it is about another attempt or submission',
    yes: 'it is about this submission of this attempt',
  },
  isPauseOver: { no: 'its pause is not over', yes: 'its pause is over' },
  awaitsDeposit: { no: 'it waits for no deposit', yes: 'it waits for a deposit' },
  hasDeposit: { no: 'nothing has been sent to its deposit address', yes: 'money has been sent to its deposit address' },
  isFunded: { no: 'what has arrived and is deep enough does not pay for it', yes: 'what has arrived pays for it' },
  isSilent: { no: 'the chain has answered', yes: 'the chain does not answer' },
  isConfirming: { no: 'what has arrived would not pay for it', yes: 'what has arrived is not deep enough yet' },

  wasDeliveredBefore: { no: 'it has not been delivered before', yes: 'it has been delivered before' },
  hasEndedBefore: { no: 'no attempt has ended before', yes: 'an attempt has ended before' },
  hasItsTurn: { no: 'it is not its turn', yes: 'it is its turn' },
  wasDelivered: { no: 'the endpoint did not answer 2xx', yes: 'the endpoint answered 2xx' },
  hadNoEndpoint: { no: 'a URL was in force', yes: 'no URL was in force' },
  hasRetryLeft: { no: 'its six attempts are used up', yes: 'it has an attempt left' },
};

/** Why a guard blocks a transition, in words; the name of an unknown guard. */
export function refusalOf({ name, isNegated }: Pick<GuardVerdict, 'name' | 'isNegated'>): string {
  const sentences = GUARDS[name];
  if (sentences === undefined) return `${isNegated ? 'not ' : ''}${name}`;
  return isNegated ? sentences.yes : sentences.no;
}
