import type { ChainFaultPoint } from '../../../src/chains/context.ts';

/** Where a process can die between two steps of a charge, in their order. */
export const FAULT_POINTS: readonly ChainFaultPoint[] = [
  'sender.started.after',
  'sender.stored.before',
  'sender.stored.after',
  'sender.broadcast.after',
  'reconciler.notify.before',
  'reconciler.notify.after',
];
