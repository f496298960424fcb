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

/** Why a transition is not taken whose guard does not hold, in words; a test finds missing ones. */
const UNMET: { readonly [guard: string]: string } = {
  isDue: 'it is not due yet',
  hasFallenDue: 'nothing has fallen due yet',
  isCheckDue: 'no check of the chain is due',
  isAuthorizedOrForced: 'the payer has not authorized it: no allowance that covers the charge has been seen',
  canBeAttempted: 'something that a charge needs is missing',
  isDeferred: 'no due charge is deferred',
  isDeferredFor: 'no due charge is deferred for this reason',
  isCancelDue: 'no scheduled cancel is due',
  hasAllCycles: 'not all of its cycles are paid',
  isOpenAttempt: 'the event is not about the open attempt',
  isOpenCycle: 'the event is not about the open cycle',
  isGivenUpCycle: 'the event is not about an abandoned cycle',
  isFirstCycle: 'a cycle has been paid before',
  isOpenAttemptAndLast: 'the event is not about the last attempt that grace and maxFailedCycles allow',
  isLastFailed: 'the event is not about the last failed attempt',
  isPaidCycle: 'the cycle of the event is not paid',
  hasReorged: 'no cycle was reorged out',
  isMigrationReady: 'no migration is signed and covered',
  isMigrationOpen: 'no migration is open',
  isCoveredWallet: 'the allowance of that wallet does not cover the new terms',
  changesMigration: 'the event changes no open migration',
  completesMigration: 'the event completes no migration',
  takesMigration: 'a change at once needs a paid period, no open cycle and no scheduled end',
  changesNow: 'no change at once is authorized',
  isPostponed: 'no credit is as much as the new charge',
  isUnread: 'no change at once waits for what its period is worth',
  isChange: 'the charge is of no change at once',
  waitsForPeriodEnd: 'the cancel does not wait: it is for now, or no paid period is left',
  hasQuantity: 'the next cycle is for another quantity',
  takesQuantity: 'the price does not have this quantity, a cycle is open, or another price comes next',
  reachesUsageLevel: 'it has no metered price, or no further level of its cap and no threshold is reached',
  waitsForWindow: 'no limit of 30 days forbids it',
  takesDiscount: 'a cycle is open that is not paid, or there is none',
  isFree: 'there is something to charge',
  isLastPeriod: 'further periods follow',
  isUsageDue: 'nothing was used that is to be paid',
  canPause: 'it ends with this period, or a charge is due, open or not paid yet',
  changesPause: 'the pause is the merchant’s, and the payer asks',
  isCancelScheduled: 'no cancel is scheduled',
  firstCovers: 'it is not the first covering allowance',
  wouldNowSucceed: 'a further attempt would not succeed now, is already due, or was just moved forward',
  takesBack: 'the payer has not taken the approval back',
  changesAllowance: 'the result of the check is already known',
  isAwaitedCheck: 'it waits for no check',
  findsShort: 'allowance and balance are enough',
  movesForward: 'the clock can only move forward',
  hasNoPayer: 'a payer wallet is linked already',
  changesPayer: 'the event names the wallet that already pays',
  isOvertaken: 'nothing was signed since the text was issued',

  isCycle: 'it is a one-off payment',
  isWithdrawn: 'its subscription has not withdrawn it',
  isForced: 'no failure is forced',
  opensForced: 'no failure is forced',
  opensNext: 'the event opens no further attempt',
  isThisAttempt: 'the event is about another attempt',
  isMined: 'the event is old, or about another attempt',
  isKnownAttempt: 'this attempt was never requested',
  isLandedAttempt: 'the event is about another attempt',
  isThisSubmission: 'the event is about another attempt or submission',
  takesRefund: 'less is left to refund',
  isKnownRefund: 'no refund has this key',
  turnsRefund: 'the event neither settles a refund nor takes it back',
  changesRefund: 'no refund takes the event now',
  isNotYetAllowed: 'its mandate allows the charge',
  isObstructed: 'nothing else stops the charge',
  isPauseOver: 'its pause is not over',
  awaitsDeposit: 'it waits for no deposit',
  hasDeposit: 'nothing has been sent to its deposit address',
  isFunded: 'the confirmed deposits do not cover the amount',
  isSoldOut: 'a unit is left, or the offer has no limit',
  isSilent: 'the chain has answered',
  isConfirming: 'the deposits would not cover the amount',

  wasDelivered: 'the endpoint did not answer 2xx',
  hadNoEndpoint: 'a webhook URL was set',
  hasRetryLeft: 'its six attempts are used up',
};

/** Why a transition is not taken that needs the opposite of a guard. */
const MET: { readonly [guard: string]: string } = {
  isCancelDue: 'a scheduled cancel is due',
  isFree: 'its period costs nothing',
  changesPayer: 'the event names another wallet',
  isOvertaken: 'a payer has signed since the text was issued',
  isCycle: "it is a subscription's cycle: cancel the subscription",
  isPauseOver: 'its pause is over',
  hasDeposit: 'money has been sent to its deposit address',
};

/** Why a guard blocks a transition, in words; the name of an unknown guard. */
export function refusalOf({ name, isNegated }: Pick<GuardVerdict, 'name' | 'isNegated'>): string {
  return isNegated ? (MET[name] ?? `not ${name}`) : (UNMET[name] ?? name);
}
