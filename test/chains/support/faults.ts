import type { ChainContext, ChainFaultPoint } from '../../../src/chains/context.ts';
import type { Leases } from '../../../src/store/workers.ts';
import { deferred } from '../../engine/support/world.ts';

type Fault = ChainContext['fault'];

/** The points where a process can die between two steps of a charge, in order. */
export const FAULT_POINTS: readonly ChainFaultPoint[] = [
  'sender.started.after',
  'sender.stored.before',
  'sender.stored.after',
  'sender.broadcast.after',
  'reconciler.notify.before',
  'reconciler.notify.after',
];

/** Everybody holds every signing queue. */
export const EVERYBODY: Leases = { take: async () => true, release: async () => {}, workers: 1 };

/** Does this at the point, the first time that it is reached. */
export function onceAt(point: ChainFaultPoint, act: () => unknown): Fault {
  let isDone = false;
  return async (at) => {
    if (at !== point || isDone) return;
    isDone = true;
    await act();
  };
}

/** The options of a chain whose process dies at the point. */
export function dyingAt(point: ChainFaultPoint) {
  let isDead = false;
  const die = (): void => {
    isDead = true;
    throw new Error(`died at ${point}`);
  };
  return { isDead: () => isDead, fault: onceAt(point, die) };
}

/** A barrier: so many who reach it wait until it opens. By default a test opens it. */
export function barrier(opensAt = Number.POSITIVE_INFINITY) {
  const [opened, reached] = [deferred<void>(), deferred<void>()];
  let count = 0;
  const reach = (): Promise<void> => {
    count += 1;
    reached.resolve();
    if (count === opensAt) opened.resolve();
    return opened.promise;
  };
  return { reached: reached.promise, opened: opened.promise, open: () => opened.resolve(), reach };
}
