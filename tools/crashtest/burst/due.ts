import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { UnexpectedStatus } from '../../../scripts/lib/json-request.ts';
import type { ActorDoc } from '../../../src/store/documents.ts';
import type { MerchantClient } from '../../lib/merchant.ts';
import type { World } from '../world.ts';
import { spread } from './spread.ts';

/** How far a due moment may lie behind the one it was to have: it is one second that all fall due in. */
const LATE_MAX_MS = 1_000;
/** One that lies further behind is moved once more, for clocks only go forward, and no more often than this. */
const LATE_MS = 400;
const ROUNDS_MAX = 8;

/** The moment lies so far ahead, and so many times as long as it takes to move all clocks once on this machine as it is now. */
const AHEAD = { leastMs: 4_000, times: 3 } as const;

/** Where clocks are moved to before that, against the end of the period. */
const BEFORE_MS = 3_600_000;

const CONNECTIONS = 12;
/** A clock that is moved again: fewer at once, so that less time passes on the way. */
const CONNECTIONS_AGAIN = 2;
const PAGE = 250;

const advanced = z.object({ complete: z.literal(true), steps: z.tuple([]) });

/**
 * Moves the clock of every subscription to so long before the end of its period that all of them fall due at one moment,
 * which is still to come, or evenly over `overMs` from then on. Returns when each does, as it is stored. Throws when that
 * is not within a second of when it was to be.
 */
export async function fallDueTogether(
  world: World,
  overMs: number,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Date>> {
  const docs = await subscriptionsOf(world);
  const began = Date.now();
  await spread(docs, CONNECTIONS, (doc) => moveClock(world.merchant, doc, Date.now() + BEFORE_MS, signal));
  const moment = Date.now() + AHEAD.leastMs + AHEAD.times * (Date.now() - began);
  const wanted = new Map(docs.map(({ _id }, index) => [_id, moment + (index * overMs) / docs.length]));
  const lateness = (doc: ActorDoc) => dueOf(doc).getTime() - (wanted.get(doc._id) ?? 0);
  let late = docs;
  for (let round = 0; late.length > 0 && round < ROUNDS_MAX; round += 1) {
    const width = round === 0 ? CONNECTIONS : CONNECTIONS_AGAIN;
    await spread(late, width, (doc) => moveClock(world.merchant, doc, wanted.get(doc._id) ?? moment, signal));
    late = (await subscriptionsOf(world)).filter((doc) => lateness(doc) > LATE_MS);
  }
  if (Date.now() >= moment) throw new Error('the first fell due before the clock of the last was moved');
  const due = await subscriptionsOf(world);
  const most = Math.max(...due.map(lateness));
  if (most > LATE_MAX_MS) throw new Error(`one falls due ${most} ms after it was to; at most ${LATE_MAX_MS} are meant`);
  return new Map(due.map((doc) => [doc._id, dueOf(doc)]));
}

const paidUntil = z.object({ currentPeriodEnd: z.iso.datetime() });

/** When its next charge falls due, real time; it may be woken before, for a check of the chain. */
function dueOf({ context, clockOffsetMs }: ActorDoc): Date {
  return new Date(Date.parse(paidUntil.parse(context).currentPeriodEnd) - clockOffsetMs);
}

/**
 * Its real due moment is `moment`, and later by as long as the request was under way. Where that is longer than it was late
 * before, it stays as it is: the service refuses a time that has passed.
 */
async function moveClock(merchant: MerchantClient, doc: ActorDoc, moment: number, signal: AbortSignal): Promise<void> {
  const subscriptionId = doc._id;
  const dueAt = dueOf(doc).getTime() + doc.clockOffsetMs;
  const to = new Date(Math.floor(dueAt - (moment - Date.now()))).toISOString();
  try {
    advanced.parse(await merchant.call('POST', '/sandbox/advance', { subscriptionId, to }, signal));
  } catch (error) {
    if (!(error instanceof UnexpectedStatus) || error.status !== 400) throw error;
  }
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

const CHECK_MS = 250;

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
    await delay(CHECK_MS, undefined, { signal });
  }
}
