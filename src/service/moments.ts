import { deferral } from '../../machines/subscription/context.ts';
import type { Engine } from '../engine/engine.ts';
import { EVERY_PARTITION } from '../store/documents.ts';
import type { LedgerStore } from '../store/port.ts';
import { OUTBOXES } from './work.ts';

const MINUTE_MS = 60_000;

/** How far the clocks of two processes may differ, in milliseconds. */
const CLOCKS_MS = 30_000;

/** The most documents of one kind in one pass. */
const AT_ONCE = 500;

export interface MomentsDeps {
  readonly store: LedgerStore;
  readonly engine: Pick<Engine, 'dispatchMany'>;
  readonly clock: () => Date;
  readonly chainIds: readonly number[];
}

/**
 * One pass over stored moments. One that is further ahead than its kind allows was stored before a clock was set back,
 * and becomes due now. A paused payment that was written in the future is tried now, and so is a charge that is
 * deferred for longer than any pause lasts.
 */
export async function endMomentsAhead({ store, engine, clock, chainIds }: MomentsDeps): Promise<void> {
  const { records, actors } = store;
  const now = clock();
  const ahead = (mostMs: number) => ({ gt: new Date(now.getTime() + mostMs + CLOCKS_MS) });
  const chainId = { in: chainIds };
  const partition = { in: EVERY_PARTITION };
  const followed = { in: ['signed', 'mined', 'final'] };
  const moments = [
    ['charges', 'notBefore', { chainId, state: 'waiting', batchMax: { not: 1 } }, 5 * MINUTE_MS],
    ['charges', 'notBefore', { chainId, state: 'waiting' }, 60 * MINUTE_MS],
    ['charges', 'updatedAt', { chainId, state: { in: ['started', 'sent'] } }, 0],
    ['permits', 'notBefore', { chainId, state: { in: ['waiting', 'started', 'sent'] } }, MINUTE_MS],
    ['announcements', 'notBefore', { chainId, state: 'waiting' }, MINUTE_MS],
    ['transactions', 'askAt', { chainId, state: followed }, 5 * MINUTE_MS],
    ['transactions', 'updatedAt', { chainId, state: 'signed' }, 0],
    ['watches', 'lookAt', { partition }, 360 * MINUTE_MS],
    ['allowanceChanges', 'lookAt', { partition }, MINUTE_MS],
    ['outbox', 'at', { source: { in: OUTBOXES } }, MINUTE_MS],
    ['events', 'wakeAt', { quarantine: null, updatedAt: ahead(0) }, 0],
    ['letters', 'wakeAt', { updatedAt: ahead(0) }, 0],
    ['merchants', 'letters.summaryAt', {}, 8 * 24 * 60 * MINUTE_MS],
  ] as const;
  for (const [of, at, those, mostMs] of moments) {
    const where = { ...those, [at]: ahead(mostMs) };
    const ids = (await records.find(of, { where, limit: AT_ONCE })).map(({ _id }) => _id);
    if (ids.length > 0) await records.changeAlike(of, ids, where, { set: { [at]: now } });
  }
  const timed = { kind: 'payment', partition, at: ahead(0), createdAt: ahead(0) } as const;
  const timers = await records.find('timers', { where: timed, limit: AT_ONCE });
  const payments = await actors.load(
    'payment',
    timers.map(({ actorId }) => actorId),
  );
  const deferred = deferral.options.map(async (why) => {
    const where = { 'context.deferred.why': why, wakeAt: ahead(60 * MINUTE_MS) };
    const found = await actors.findFields('subscription', { where, limit: AT_ONCE }, []);
    const event = { type: 'deferral.lifted', why } as const;
    return found.map(({ _id: id }) => ({ kind: 'subscription', id, event, by: 'wake' }) as const);
  });
  await engine.dispatchMany([
    ...payments
      .filter(({ status }) => status === 'pending')
      .map(({ _id: id }) => ({ kind: 'payment', id, event: { type: 'pause.lifted' }, by: 'wake' }) as const),
    ...(await Promise.all(deferred)).flat(),
  ]);
}
