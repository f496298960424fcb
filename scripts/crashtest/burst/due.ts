import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { ActorDoc } from '../../../src/store/documents.ts';
import type { MerchantClient } from '../merchant.ts';
import type { World } from '../world.ts';
import { spread } from './spread.ts';

/** How far the due moments may lie apart: it is one second that all fall due in. */
const SPREAD_MAX_MS = 1_000;

/** From when the clocks begin to be moved until the moment that they are moved to: this, and so much for each of them. */
const AHEAD_MS = { least: 6_000, each: 25 } as const;

const CONNECTIONS = 12;
const PAGE = 250;

const advanced = z.object({ complete: z.literal(true), steps: z.tuple([]) });

/**
 * Moves the clock of every subscription to so long before the end of its period that all of them fall due at one moment,
 * which is still to come. Returns when each does, as it is stored. Throws when that is not within one second.
 */
export async function fallDueTogether(world: World, signal: AbortSignal): Promise<ReadonlyMap<string, Date>> {
  const docs = await subscriptionsOf(world);
  const moment = Date.now() + AHEAD_MS.least + AHEAD_MS.each * docs.length;
  await spread(docs, CONNECTIONS, (doc) => moveClock(world.merchant, doc, moment, signal));
  const due = new Map((await subscriptionsOf(world)).map(({ _id, wakeAt }) => [_id, wakeAt ?? new Date(0)]));
  const times = [...due.values()].map((at) => at.getTime());
  const [first, last] = [Math.min(...times), Math.max(...times)];
  if (first <= Date.now()) throw new Error('the first has fallen due before the clock of the last was moved');
  if (last - first > SPREAD_MAX_MS)
    throw new Error(`they fall due within ${last - first} ms; expected ${SPREAD_MAX_MS}`);
  return due;
}

/** Its real due moment is `moment`, and later by as long as the request was under way. */
async function moveClock(merchant: MerchantClient, doc: ActorDoc, moment: number, signal: AbortSignal): Promise<void> {
  const { _id: subscriptionId, wakeAt, clockOffsetMs } = doc;
  if (wakeAt === null) throw new Error(`${subscriptionId} waits for nothing`);
  const dueAt = wakeAt.getTime() + clockOffsetMs;
  const to = new Date(dueAt - (moment - Date.now())).toISOString();
  advanced.parse(await merchant.call('POST', '/sandbox/advance', { subscriptionId, to }, signal));
}

/** Every subscription of the world's merchant, as stored. */
export async function subscriptionsOf({ store, merchant }: World): Promise<ActorDoc[]> {
  const all: ActorDoc[] = [];
  for (;;) {
    const where = { merchantId: merchant.id, mode: 'test', _id: { gt: all.at(-1)?._id ?? '' } };
    const page = await store.actors.find('subscription', { where, sort: [['_id', 1]], limit: PAGE });
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}

const LOOK_MS = 250;

/** Resolves when so many subscriptions are active and have paid so many cycles. Throws after `withinMs`. */
export async function untilPaid(
  { store, merchant }: World,
  wanted: { readonly count: number; readonly cycles: number; readonly withinMs: number },
  signal: AbortSignal,
): Promise<void> {
  const { count, cycles, withinMs } = wanted;
  const deadline = performance.now() + withinMs;
  const where = {
    merchantId: merchant.id,
    mode: 'test',
    status: 'active',
    'context.cyclesCompleted': cycles,
    'context.open': null,
  };
  for (;;) {
    const paid = await store.actors.count('subscription', where);
    if (paid >= count) return;
    if (performance.now() > deadline) {
      throw new Error(`after ${withinMs / 1_000} s only ${paid} of ${count} have paid ${cycles} cycles`);
    }
    await delay(LOOK_MS, undefined, { signal });
  }
}
