import { TidelineError } from 'tideline/client';
import { z } from 'zod';
import type { ActorDoc } from '../../../src/store/documents.ts';
import type { Merchant } from '../../../stage/merchant.ts';
import { until } from '../../../stage/until.ts';
import { spread } from '../../lib/spread.ts';
import type { World } from '../world.ts';

/** The tolerance of due moments: all must be within one second. */
const LATE_MAX_MS = 1_000;
/** A clock that is later than this is moved again, up to `ROUNDS_MAX` times; clocks only go forward. */
const LATE_MS = 400;
const ROUNDS_MAX = 8;

/** The distance of the due moment: at least this long, and this many times the duration of one round of moves. */
const AHEAD = { leastMs: 4_000, times: 3 } as const;

/** The first move goes to this long before the end of the period. */
const BEFORE_MS = 3_600_000;

const CONNECTIONS = 12;
/** Fewer connections for repeated moves, so that requests take less time. */
const CONNECTIONS_AGAIN = 2;
const PAGE = 250;

/**
 * Moves the clock of every subscription so that all fall due at one coming moment, or evenly over `overMs` from then
 * on. Returns the due moments as stored. Throws if one is more than a second late.
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
  if (Date.now() >= moment) throw new Error('a subscription fell due before all clocks were moved');
  const due = await subscriptionsOf(world);
  const most = Math.max(...due.map(lateness));
  if (most > LATE_MAX_MS)
    throw new Error(`a subscription falls due ${most} ms late; expected at most ${LATE_MAX_MS} ms`);
  return new Map(due.map((doc) => [doc._id, dueOf(doc)]));
}

const paidUntil = z.object({ currentPeriodEnd: z.iso.datetime() });

/** The real time of the next charge. A check of the chain may wake the subscription earlier. */
function dueOf({ context, clockOffsetMs }: ActorDoc): Date {
  return new Date(Date.parse(paidUntil.parse(context).currentPeriodEnd) - clockOffsetMs);
}

/**
 * Moves a clock so that its real due moment is `moment`, plus the duration of the request. If that is later than the
 * current due moment, the service refuses the move, and the clock stays.
 */
async function moveClock({ api }: Merchant, doc: ActorDoc, moment: number, signal: AbortSignal): Promise<void> {
  const subscriptionId = doc._id;
  const dueAt = dueOf(doc).getTime() + doc.clockOffsetMs;
  const to = new Date(Math.floor(dueAt - (moment - Date.now()))).toISOString();
  try {
    const { complete, steps } = await api.sandbox.advance({ subscriptionId, to }, { signal });
    if (!complete || steps.length > 0) throw new Error(`${subscriptionId} was charged when its clock moved to ${to}`);
  } catch (error) {
    if (!(error instanceof TidelineError) || error.status !== 400) throw error;
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

/** Resolves when `count` subscriptions are active and have paid `cycles` cycles. Throws after `withinMs`. */
export async function untilPaid(
  { store, merchant }: World,
  wanted: { readonly count: number; readonly cycles: number; readonly withinMs: number },
  signal: AbortSignal,
): Promise<void> {
  const { count, cycles, withinMs } = wanted;
  const where = {
    merchantId: merchant.id,
    mode: 'test',
    status: 'active',
    'context.cyclesCompleted': cycles,
    'context.open': null,
  };
  const how = { everyMs: CHECK_MS, withinMs, signal };
  const paid = () => store.actors.count('subscription', where);
  await until(`${count} subscriptions have paid ${cycles} cycles`, paid, (found) => found >= count, how);
}
