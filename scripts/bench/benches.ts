import { advance } from './advance.ts';
import { api } from './api.ts';
import type { Bench } from './bench.ts';
import { settlement } from './settlement.ts';
import { webhooks } from './webhooks.ts';

/** Every benchmark, in the order in which all of them run. */
export const BENCHES: readonly Bench[] = [api, advance, settlement, webhooks];
