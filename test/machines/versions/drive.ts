import { unknownCase } from '../../../machines/unknown-case.ts';
import type { Snapshot } from '../../../machines/versions.ts';
import type { ActorKind } from '../../../src/store/documents.ts';
import { about, aboutPresent, depositSeen, PAUSE_OVER, TestPayment } from '../support/payment.ts';
import { ASKED, CANCEL, COVERED, RESUME, TestSubscription } from '../support/subscription.ts';

/** Later than all times in the fixtures. */
const LATER = '2026-12-01T00:00:00.000Z';

/**
 * The final state of an actor that continues from a snapshot of the newest version: charged and canceled, or paid.
 */
export function driveOn(kind: ActorKind, state: Snapshot): string {
  switch (kind) {
    case 'subscription':
      return driveSubscription(state);
    case 'payment':
      return drivePayment(state);
    default:
      return unknownCase(kind, 'kind');
  }
}

/** Charges one more cycle unless it is canceled, and then cancels it. */
function driveSubscription(state: Snapshot): string {
  const actor = at(new TestSubscription(), state);
  const { cyclesCompleted } = actor.context;
  const wasLive = !actor.stateName.startsWith('canceled');
  const steps = [
    RESUME,
    { type: 'failure.forced', reason: null },
    { type: 'payer.linked', wallet: '0xpayer' },
    COVERED,
    ASKED,
  ] as const;
  for (const event of steps) if (!actor.refuses(event)) actor.send(event);
  if (isInFlight(actor)) actor.settles();
  if (wasLive && actor.context.cyclesCompleted <= cyclesCompleted)
    throw new Error(`${actor.stateName}: nothing was charged`);
  if (wasLive) actor.send(CANCEL);
  if (isInFlight(actor)) actor.settles();
  return actor.stateName;
}

function isInFlight({ stateName }: TestSubscription): boolean {
  return stateName.endsWith('charging') || stateName.endsWith('closing');
}

/** Tries it again if it has paused or failed, and follows it to its end. */
function drivePayment(state: Snapshot): string {
  const actor = at(new TestPayment({ of: 'cycle' }), state);
  if (actor.stateName === 'pending.awaiting') actor.send(depositSeen('9900000'));
  if (actor.stateName === 'pending.paused') actor.send(PAUSE_OVER);
  if (actor.stateName === 'failed') actor.send(about(actor.context.attempt + 1).opened);
  for (const word of ['started', 'mined', 'final'] as const) {
    if (!actor.refuses(aboutPresent(actor.context)[word])) actor.hears(word);
  }
  return actor.stateName;
}

function at<A extends { state: Snapshot; now: string }>(actor: A, state: Snapshot): A {
  actor.state = state;
  actor.now = LATER;
  return actor;
}
