import { FAULT_POINTS, type FaultPlan, parseFaultPlans } from '../../src/engine/faults.ts';

/**
 * Two chains of kills with every fault point at its first hit; a detail narrows points that are hit often. Each process
 * continues the work of the killed one before it, and must die at its own point. So points late in a charge come first:
 * the continued work is already past the next point. A death at a first attempt leaves the event in the outbox, and the
 * next process stores it before it posts. A delivery returns after its lease while the others continue.
 */
export const KILL_CHAINS: readonly [readonly string[], readonly string[]] = [
  [
    'delivery.posted.before/payment.succeeded',
    'delivery.stored.after/payment.succeeded',
    'relay.ack.after',
    'relay.effect.before/subscription.tell',
    'commit.after/subscription.tell',
    'reconciler.notify.before/final',
    'reconciler.notify.after/mined',
    'keeper.stored.before',
    'sender.broadcast.after',
    'sender.stored.before',
    'relay.effect.after/charge.request',
    'commit.row.after/charge.request',
    'commit.before/charge.request',
    'relay.effect.before/charge.open',
    'commit.after/charge.open',
    'relay.effect.after/webhook.emit',
    'commit.before/allowance.watch',
  ],
  [
    'delivery.posted.after/payment.succeeded',
    'relay.ack.after@2',
    'relay.effect.after/subscription.tell',
    'commit.before/subscription.tell',
    'reconciler.notify.after/final',
    'reconciler.notify.before/mined',
    'keeper.stored.after',
    'sender.stored.after',
    'sender.started.after',
    'relay.effect.before/charge.request',
    'commit.after/charge.request',
    'commit.row.before/charge.request',
    'relay.effect.after/charge.open',
    'commit.before/charge.open',
    'commit.after/allowance.watch',
  ],
];

export function killsAt(points: readonly string[]): FaultPlan[] {
  return parseFaultPlans(points.map((point) => `${point}=kill`).join(','));
}

const HITS = [1, 2, 3] as const;
const ACTIONS = ['kill', 'throw', 'delay'] as const;

/** Every declared point at each of its first three hits: killed, failing and waiting, late points first. */
export function everyPlan(): FaultPlan[][] {
  const points = [...FAULT_POINTS].reverse();
  return ACTIONS.flatMap((action) =>
    HITS.map((hit) => points.map((point): FaultPlan => ({ point, detail: null, hit, action }))),
  );
}
