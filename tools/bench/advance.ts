import { z } from 'zod';
import { addDays } from '../../machines/rules/period.ts';
import type { MerchantClient } from '../../stage/merchant-client.ts';
import { TOKEN_KEY } from '../../stage/tokens.ts';
import { openWorld } from '../crashtest/world.ts';
import { NODE_ENV } from '../lib/child.ts';
import { usingWorld } from '../lib/world.ts';
import type { BenchRun } from './bench.ts';
import { counted, type Row } from './row.ts';

/** The time limit for a year of daily billing; a shorter run has its share. */
const YEAR = { cycles: 365, seconds: 45 } as const;
const CYCLES = { quick: 60, full: YEAR.cycles } as const;

/** The most days that one call of advance processes. */
const DAYS_PER_CALL = 60;

/** Days before the measurement, for the first charge and to warm up the processes. */
const WARM_UP_DAYS = 10;

const withId = z.object({ id: z.string() });
const offer = z.object({ pricing: z.tuple([withId]) });
const subscription = z.object({ status: z.string(), cyclesCompleted: z.int(), consecutiveFailures: z.int() });
const advanced = z.object({
  now: z.iso.datetime(),
  complete: z.boolean(),
  status: z.string(),
  steps: z.array(z.object({ outcome: z.string().nullish() })),
});

/**
 * The duration of `POST /sandbox/advance` for a year of one daily subscription, in as many calls as it needs, with a
 * chain, a service and a database like a merchant's. Every cycle is charged on the chain and settles before the next
 * one falls due. Throws if a cycle does not settle.
 */
export async function advance(run: BenchRun): Promise<Row[]> {
  run.progress.step('advance: starting database, chain and service');
  return usingWorld(await openWorld(), async ({ start, merchant, shop }) => {
    await start({ LOG_LEVEL: 'warn', NODE_ENV, TICK_MS: '1000' });
    return [await yearOfDays(merchant, shop.payers[0]?.customerId ?? '', run)];
  });
}

async function yearOfDays(merchant: MerchantClient, customerId: string, run: BenchRun): Promise<Row> {
  const { size, progress, signal } = run;
  const cycles = CYCLES[size];
  const { id, now } = await subscribedDaily(merchant, customerId, signal);
  progress.step('advance: warming up');
  let clock = await advanceTo(merchant, id, addDays(now, WARM_UP_DAYS), signal);
  const began = performance.now();
  for (let done = 0; done < cycles; done += DAYS_PER_CALL) {
    progress.step(`advance: day ${done} of ${cycles}`);
    clock = await advanceTo(merchant, id, addDays(clock, Math.min(DAYS_PER_CALL, cycles - done)), signal);
  }
  const seconds = (performance.now() - began) / 1_000;
  await requirePaid(merchant, id, WARM_UP_DAYS + cycles + 1);
  return counted(`${cycles} daily cycles`, 's', seconds, { atMost: (YEAR.seconds * cycles) / YEAR.cycles });
}

/** A subscription whose first charge has settled, and the time of its clock. */
async function subscribedDaily(merchant: MerchantClient, customerId: string, signal: AbortSignal) {
  const made = await merchant.call('POST', '/offers', {
    name: 'Daily',
    pricing: [{ amount: '1.00', acceptedTokens: [TOKEN_KEY], billing: { type: 'recurring', interval: 'day' } }],
  });
  const priceId = offer.parse(made).pricing[0].id;
  const { id } = withId.parse(await merchant.call('POST', '/subscriptions', { priceId, customerId }));
  const body = { subscriptionId: id, status: 'active' };
  const { status, now } = advanced.parse(await merchant.call('POST', '/sandbox/advance', body, signal));
  if (status !== 'active') throw new Error(`${id} is ${status}; it was to become active`);
  return { id, now };
}

/** Advances the clock to this time, in as many calls as the service needs. Returns its new time. */
async function advanceTo(merchant: MerchantClient, id: string, to: string, signal: AbortSignal): Promise<string> {
  for (;;) {
    const body = { subscriptionId: id, to };
    const { complete, steps } = advanced.parse(await merchant.call('POST', '/sandbox/advance', body, signal));
    const failed = steps.filter(({ outcome }) => outcome !== 'settled' && outcome !== 'pending').length;
    if (failed > 0) throw new Error(`of ${steps.length} cycles of ${id} ${failed} did not settle`);
    if (complete) return to;
  }
}

async function requirePaid(merchant: MerchantClient, id: string, cycles: number): Promise<void> {
  const found = subscription.parse(await merchant.call('GET', `/subscriptions/${id}`));
  if (found.status === 'active' && found.cyclesCompleted === cycles && found.consecutiveFailures === 0) return;
  throw new Error(`${id} is ${found.status} with ${found.cyclesCompleted} cycles; expected active with ${cycles}`);
}
