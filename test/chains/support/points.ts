import type { ChainFaultPoint } from '../../../src/chains/context.ts';

/** The points where a process can die between two steps of a charge, in order. */
export const FAULT_POINTS: readonly ChainFaultPoint[] = [
  'sender.started.after',
  'sender.stored.before',
  'sender.stored.after',
  'sender.broadcast.after',
  'reconciler.notify.before',
  'reconciler.notify.after',
];
