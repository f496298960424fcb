import { z } from 'zod';
import { addDays } from '../../../machines/rules/period.ts';
import { rowsOf } from '../../../src/store/actors/rows.ts';
import type { LoggedEvent, LogRow, StoredActor } from '../../../src/store/documents.ts';
import type { Store } from '../../../src/store/port.ts';
import { stopAfter } from '../../../stage/temporary-devnet.ts';
import { until } from '../../../stage/until.ts';
import { openWorld } from '../../crashtest/world.ts';
import { NODE_ENV } from '../../lib/child.ts';
import type { BenchRun } from '../bench.ts';

/** One subscription as the service made and billed it, with its rows in the log. */
export interface Specimen {
  readonly subscription: StoredActor;
  readonly rows: readonly LogRow[];
  readonly cycles: number;
}

/** It is billed monthly for this long. */
const DAYS = 100;
const ROWS_MAX = 1_000;

const counting = z.object({ cyclesCompleted: z.int() });

/** Made by the API of a service with a local chain: subscribed, authorized and charged for some months. */
export async function madeByService({ signal }: Pick<BenchRun, 'signal'>): Promise<Specimen> {
  return stopAfter(await openWorld(), async ({ start, merchant, sale, store }) => {
    await start({ LOG_LEVEL: 'warn', NODE_ENV });
    const { api } = merchant;
    const order = { priceId: sale.priceId, customerId: sale.payers[0]?.customerId ?? '' };
    const { id: subscriptionId } = await api.subscriptions.create(order);
    const { now } = await api.sandbox.advance({ subscriptionId, status: 'active' });
    const to = addDays(now, DAYS);
    while (!(await api.sandbox.advance({ subscriptionId, to }, { signal })).complete) signal.throwIfAborted();
    const subscription = await atRest(store, subscriptionId);
    const where = { _id: rowsOf(subscriptionId) };
    const rows = await store.records.find('log', { where, sort: [['_id', 1]], limit: ROWS_MAX });
    if (subscription.status !== 'active') throw new Error(`${subscriptionId} is not active after ${DAYS} days`);
    const { cyclesCompleted: cycles } = counting.parse(subscription.context);
    // In production nobody moves the clock of a subscription.
    const billing = rows.map((row) => ({ ...row, events: row.events.filter(isBilling) }));
    return { subscription, rows: billing.filter(({ events }) => events.length > 0), cycles };
  });
}

function isBilling({ event }: LoggedEvent): boolean {
  return event.type !== 'clock.moved';
}

/** Waits for an empty outbox. Else every copy would have effects, which the service would run meanwhile. */
function atRest({ actors }: Pick<Store, 'actors'>, id: string): Promise<StoredActor> {
  return until(
    `${id} has no effects in its outbox`,
    async () => (await actors.load('subscription', [id]))[0],
    (doc): doc is StoredActor => doc !== undefined && doc.outbox.length === 0,
  );
}
