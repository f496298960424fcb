import type { MachineVersion } from '../../../machines/versions.ts';
import { activePath, type Candidate, candidatesFor, type GuardVerdict, statesTaking } from '../../engine/candidates.ts';
import { isSameState } from '../../engine/canonical.ts';
import { actorTime } from '../../engine/projection.ts';
import { type StoredState, step } from '../../engine/step.ts';
import type { EventVerdict } from '../wire.ts';
import type { Inspected } from './inspected.ts';
import { samplesOf } from './samples.ts';

/** Every possible event at a real moment, with the reaction of the actor's machine; no event is sent. */
export function verdictsOn(version: MachineVersion, doc: Inspected, real: Date): EventVerdict[] {
  const now = actorTime(real, doc.clockOffsetMs);
  return samplesOf(doc, now).map((sample) => verdictOn(version, doc, sample, now));
}

function verdictOn(
  version: MachineVersion,
  doc: Inspected,
  { by, assuming, event }: ReturnType<typeof samplesOf>[number],
  now: string,
): EventVerdict {
  const about = { type: event.type, by, assuming };
  const reported = version.event.parse({ ...event, now });
  const stepped = step(version, doc, reported, null);
  if (stepped.taken !== true)
    return { ...about, verdict: 'refuses', to: null, effects: [], ...whyNot(version, doc, reported) };
  const isChange = stepped.effects.length > 0 || !isSameState(stepped.state, doc);
  return {
    ...about,
    verdict: isChange ? 'changes' : 'acknowledges',
    to: isChange ? (activePath(version.machine, stepped.state.value)[0]?.id ?? null) : null,
    effects: stepped.effects.map((effect) => (effect.type === 'webhook.emit' ? effect.event : effect.type)),
    why: null,
    refusedBy: [],
  };
}

function whyNot(
  version: MachineVersion,
  stored: StoredState,
  event: { readonly type: string; readonly now: string },
): Pick<EventVerdict, 'why' | 'refusedBy'> {
  const candidates = candidatesFor(version, stored, event);
  if (candidates.length > 0) return { why: whyOf(candidates), refusedBy: refusersOf(candidates) };
  const here = activePath(version.machine, stored.value)[0]?.id ?? version.machine.id;
  const taking = statesTaking(version.machine, event.type);
  const where = taking.length === 0 ? 'no state does' : `these states do: ${taking.join(', ')}`;
  return { why: `The state ${here} does not accept it; ${where}`, refusedBy: [] };
}

/** The obstacles of each transition, without repetitions. */
function whyOf(candidates: readonly Candidate[]): string {
  const each = candidates.map(({ guards }) =>
    guards
      .filter(({ isFulfilled }) => !isFulfilled)
      .map(refusalOf)
      .join(' and '),
  );
  const text = [...new Set(each)].join('; ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function refusersOf(candidates: readonly Candidate[]): string[] {
  const refusing = candidates.flatMap(({ guards }) => guards.filter(({ isFulfilled }) => !isFulfilled));
  return [...new Set(refusing.map(({ name, isNegated }) => (isNegated ? `not ${name}` : name)))];
}

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
    no: 'the payer has not authorized it: no allowance that covers the charge has been seen',
    yes: 'the payer has authorized it',
  },
  canBeAttempted: { no: 'something that a charge needs is missing', yes: 'a charge has everything that it needs' },
  isDeferred: { no: 'no due charge is deferred', yes: 'a due charge is deferred' },
  isDeferredFor: { no: 'no due charge is deferred for this reason', yes: 'a due charge is deferred for this reason' },
  isCancelDue: { no: 'no scheduled cancel is due', yes: 'a scheduled cancel is due' },
  hasAllCycles: { no: 'not all of its cycles are paid', yes: 'all of its cycles are paid' },
  isOpenAttempt: { no: 'the event is not about the open attempt', yes: 'the event is about the open attempt' },
  isOpenCycle: { no: 'the event is not about the open cycle', yes: 'the event is about the open cycle' },
  isGivenUpCycle: { no: 'the event is not about an abandoned cycle', yes: 'the event is about an abandoned cycle' },
  isFirstCycle: { no: 'a cycle has been paid before', yes: 'no cycle has been paid before' },
  isOpenAttemptAndLast: {
    no: 'the event is not about the last attempt that grace and maxFailedCycles allow',
    yes: 'the event is about the last attempt',
  },
  isLastFailed: {
    no: 'the event is not about the last failed attempt',
    yes: 'the event is about the last failed attempt',
  },
  isPaidCycle: { no: 'the cycle of the event is not paid', yes: 'the cycle of the event is paid' },
  hasReorged: { no: 'no cycle was reorged out', yes: 'a cycle was reorged out' },
  isMigrationReady: {
    no: 'no migration is signed and covered',
    yes: 'a migration is signed and covered',
  },
  isMigrationOpen: { no: 'no migration is open', yes: 'a migration is open' },
  isCoveredWallet: {
    no: 'the allowance of that wallet does not cover the new terms',
    yes: 'the allowance of that wallet covers the new terms',
  },
  changesMigration: { no: 'the event changes no open migration', yes: 'the event changes an open migration' },
  completesMigration: { no: 'the event completes no migration', yes: 'the event completes a migration' },
  takesMigration: {
    no: 'a change at once needs a paid period, no open cycle and no scheduled end',
    yes: 'new terms can be requested',
  },
  changesNow: { no: 'no change at once is authorized', yes: 'a change at once is authorized' },
  isPostponed: { no: 'no credit is as much as the new charge', yes: 'the credit would be the whole new charge' },
  isUnread: {
    no: 'no change at once waits for what its period is worth',
    yes: 'what the period is worth is not read yet',
  },
  isChange: { no: 'the charge is of no change at once', yes: 'the charge is of a change at once' },
  waitsForPeriodEnd: {
    no: 'the cancel does not wait: it is for now, or no paid period is left',
    yes: 'the cancel waits for the end of the paid period',
  },
  hasQuantity: { no: 'the next cycle is for another quantity', yes: 'it has this quantity already' },
  takesQuantity: {
    no: 'the price does not have this quantity, a cycle is open, or another price comes next',
    yes: 'the quantity can be set',
  },
  reachesUsageLevel: {
    no: 'it has no metered price, or no further level of its cap and no threshold is reached',
    yes: 'a level of the cap, or the threshold, is reached',
  },
  waitsForWindow: { no: 'no limit of 30 days forbids it', yes: 'the limit of 30 days does not allow it yet' },
  takesDiscount: { no: 'a cycle is open that is not paid, or there is none', yes: 'the discount can change' },
  isFree: { no: 'there is something to charge', yes: 'its period costs nothing' },
  isLastPeriod: { no: 'further periods follow', yes: 'no period follows' },
  isUsageDue: { no: 'nothing was used that is to be paid', yes: 'the last use is to be paid' },
  canPause: {
    no: 'it ends with this period, or a charge is due, open or not paid yet',
    yes: 'a paid period is running, and another may follow',
  },
  changesPause: {
    no: 'the pause is the merchant’s, and the payer asks',
    yes: 'the pause is the payer’s, or the merchant asks',
  },
  isCancelScheduled: { no: 'no cancel is scheduled', yes: 'a cancel is scheduled' },
  firstCovers: { no: 'it is not the first covering allowance', yes: 'it is the first covering allowance' },
  wouldNowSucceed: {
    no: 'a further attempt would not succeed now, is already due, or was just moved forward',
    yes: 'a further attempt would succeed now',
  },
  takesBack: { no: 'the payer has not taken the approval back', yes: 'the payer has taken the approval back' },
  changesAllowance: { no: 'the result of the check is already known', yes: 'the result of the check is new' },
  isAwaitedCheck: { no: 'it waits for no check', yes: 'it waits for a check' },
  findsShort: { no: 'allowance and balance are enough', yes: 'allowance or balance is too small' },
  movesForward: { no: 'the clock can only move forward', yes: 'the clock moves forward' },
  hasNoPayer: { no: 'a payer wallet is linked already', yes: 'no payer wallet is linked' },
  changesPayer: { no: 'the event names the wallet that already pays', yes: 'the event names another wallet' },
  isOvertaken: {
    no: 'nothing was signed since the text was issued',
    yes: 'a payer has signed since the text was issued',
  },

  isCycle: { no: 'it is a one-off payment', yes: "it is a subscription's cycle: cancel the subscription" },
  isWithdrawn: { no: 'its subscription has not withdrawn it', yes: 'its subscription has withdrawn it' },
  isForced: { no: 'no failure is forced', yes: 'a failure is forced' },
  opensForced: { no: 'no failure is forced', yes: 'a failure is forced' },
  opensNext: { no: 'the event opens no further attempt', yes: 'the event opens a further attempt' },
  isThisAttempt: { no: 'the event is about another attempt', yes: 'the event is about this attempt' },
  isMined: { no: 'the event is old, or about another attempt', yes: 'the event is about this attempt' },
  isKnownAttempt: { no: 'this attempt was never requested', yes: 'the event is about this or an earlier attempt' },
  isPaidAfterAll: { no: 'this attempt was never requested', yes: 'the event is about this or an earlier attempt' },
  isLandedAttempt: { no: 'the event is about another attempt', yes: 'the event is about the attempt in the block' },
  isThisSubmission: {
    no: 'the event is about another attempt or submission',
    yes: 'the event is about this submission of this attempt',
  },
  takesRefund: { no: 'less is left to refund', yes: 'so much is left to refund' },
  isKnownRefund: { no: 'no refund has this key', yes: 'a refund has this key' },
  turnsRefund: {
    no: 'the event neither settles a refund nor takes it back',
    yes: 'the event settles or takes it back',
  },
  changesRefund: { no: 'no refund takes the event now', yes: 'a refund takes the event' },
  isNotYetAllowed: { no: 'its mandate allows the charge', yes: 'its mandate allows no charge yet' },
  isObstructed: { no: 'nothing else stops the charge', yes: 'something else than its day stops the charge' },
  isPauseOver: { no: 'its pause is not over', yes: 'its pause is over' },
  awaitsDeposit: { no: 'it waits for no deposit', yes: 'it waits for a deposit' },
  hasDeposit: { no: 'nothing has been sent to its deposit address', yes: 'money has been sent to its deposit address' },
  isFunded: { no: 'the confirmed deposits do not cover the amount', yes: 'the confirmed deposits cover the amount' },
  isSoldOut: { no: 'a unit is left, or the offer has no limit', yes: 'every unit of the offer is sold or reserved' },
  isSilent: { no: 'the chain has answered', yes: 'the chain does not answer' },
  isConfirming: {
    no: 'the deposits would not cover the amount',
    yes: 'the deposits do not have enough confirmations yet',
  },

  wasDelivered: { no: 'the endpoint did not answer 2xx', yes: 'the endpoint answered 2xx' },
  hadNoEndpoint: { no: 'a webhook URL was set', yes: 'no webhook URL was set' },
  hasRetryLeft: { no: 'its six attempts are used up', yes: 'it has an attempt left' },
};

/** Why a guard blocks a transition, in words; the name of an unknown guard. */
export function refusalOf({ name, isNegated }: Pick<GuardVerdict, 'name' | 'isNegated'>): string {
  const sentences = GUARDS[name];
  if (sentences === undefined) return `${isNegated ? 'not ' : ''}${name}`;
  return isNegated ? sentences.yes : sentences.no;
}
