import { advance } from './advance.ts';
import { api } from './api.ts';
import type { Bench } from './bench.ts';
import { claim } from './claim.ts';
import { footprint } from './footprint.ts';
import { month } from './month.ts';
import { recovery } from './recovery.ts';
import { scan } from './scan.ts';
import { settlement } from './settlement.ts';
import { start } from './start.ts';
import { transition } from './transition.ts';
import { webhooks } from './webhooks.ts';

/** Every benchmark, in the order in which they run. */
export const BENCHES: readonly Bench[] = [
  transition,
  scan,
  claim,
  api,
  advance,
  settlement,
  webhooks,
  footprint,
  recovery,
  start,
  month,
];
