import type { Tideline } from 'tideline/client';
import { addDays } from '../../machines/rules/period.ts';
import { stopAfter } from '../../stage/temporary-devnet.ts';
import { TOKEN_KEY } from '../../stage/tokens.ts';
import { openWorld } from '../crashtest/world.ts';
import { NODE_ENV } from '../lib/child.ts';
import type { BenchRun } from './bench.ts';
import { counted, type Row } from './row.ts';

/** The time limit for a year of daily billing; a shorter run has its share. */
const YEAR = { cycles: 365, seconds: 45 } as const;
const CYCLES = { quick: 60, full: YEAR.cycles } as const;

/** The most days that one call of advance processes. */
const DAYS_PER_CALL = 60;

/** Days before the measurement, for the first charge and to warm up the processes. */
const WARM_UP_DAYS = 10;

/**
 * The duration of `POST /sandbox/advance` for a year of one daily subscription, in as many calls as it needs, with a
 * chain, a service and a database like a merchant's. Every cycle is charged on the chain and settles before the next
 * one falls due. Throws if a cycle does not settle.
 */
export async function advance(run: BenchRun): Promise<Row[]> {
  run.progress.step('advance: starting database, chain and service');
  return stopAfter(await openWorld(), async ({ start, merchant, sale }) => {
    await start({ LOG_LEVEL: 'warn', NODE_ENV, TICK_MS: '1000' });
    return [await yearOfDays(merchant.api, sale.payers[0]?.customerId ?? '', run)];
  });
}

async function yearOfDays(api: Tideline, customerId: string, { size, progress, signal }: BenchRun): Promise<Row> {
  const cycles = CYCLES[size];
  const { id, now } = await subscribedDaily(api, customerId);
  progress.step('advance: warming up');
  let clock = await advanceTo(api, id, addDays(now, WARM_UP_DAYS), signal);
  const began = performance.now();
  for (let done = 0; done < cycles; done += DAYS_PER_CALL) {
    progress.step(`advance: day ${done} of ${cycles}`);
    clock = await advanceTo(api, id, addDays(clock, Math.min(DAYS_PER_CALL, cycles - done)), signal);
  }
  const seconds = (performance.now() - began) / 1_000;
  await requirePaid(api, id, WARM_UP_DAYS + cycles + 1);
  return counted(`${cycles} daily cycles`, 's', seconds, { atMost: (YEAR.seconds * cycles) / YEAR.cycles });
}

/** A subscription whose first charge has settled, and the time of its clock. */
async function subscribedDaily(api: Tideline, customerId: string) {
  const billing = { type: 'recurring', interval: 'day' } as const;
  const pricing = [{ amount: '1.00', acceptedTokens: [TOKEN_KEY], billing }];
  const [price] = (await api.offers.create({ name: 'Daily', pricing })).pricing;
  const { id } = await api.subscriptions.create({ priceId: price?.id ?? '', customerId });
  const { status, now } = await api.sandbox.advance({ subscriptionId: id, status: 'active' });
  if (status !== 'active') throw new Error(`${id} is ${status}; it was to become active`);
  return { id, now };
}

/** Advances the clock to this time, in as many calls as the service needs. Returns its new time. */
async function advanceTo(api: Tideline, id: string, to: string, signal: AbortSignal): Promise<string> {
  for (;;) {
    const { complete, steps } = await api.sandbox.advance({ subscriptionId: id, to }, { signal });
    const failed = steps.filter(({ outcome }) => outcome !== 'settled' && outcome !== 'pending').length;
    if (failed > 0) throw new Error(`of ${steps.length} cycles of ${id} ${failed} did not settle`);
    if (complete) return to;
  }
}

async function requirePaid(api: Tideline, id: string, cycles: number): Promise<void> {
  const { status, cyclesCompleted, consecutiveFailures } = await api.subscriptions.get(id);
  if (status === 'active' && cyclesCompleted === cycles && consecutiveFailures === 0) return;
  throw new Error(`${id} is ${status} with ${cyclesCompleted} cycles; expected active with ${cycles}`);
}
