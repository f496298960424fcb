import type { Engine } from '../../../src/engine/engine.ts';
import type { Dispatch, Dispatched } from '../../../src/engine/types.ts';
import type { Log } from '../../../src/observability/log.ts';
import { headOf } from '../../../src/store/actors/heads.ts';
import type { Store } from '../../../src/store/port.ts';
import { serve } from '../../lib/child.ts';
import { spread } from '../../lib/spread.ts';
import { openEngine, untilIdle } from '../engine.ts';
import { actors, admitsNothing, BY, CONCURRENCY, EVENT, type TransitionOrder } from './write.ts';

/**
 * The product of `transition`, in its own process: store and engine as a service composes them. The clock stops when
 * every event is stored, and the outbox is empty.
 *
 * Arguments: URI, database.
 */
async function open([uri = '', dbName = '']: readonly string[]) {
  const fail = (fields: object, message: string) => {
    throw new Error(`${message}: ${JSON.stringify(fields)}`);
  };
  const log: Log = { debug: () => undefined, info: () => undefined, warn: fail, error: fail };
  const product = await openEngine({ uri, dbName, log }, () => ({ admits: admitsNothing }));
  return { transition: (order: TransitionOrder) => transition(product, order) };
}
export type TransitionSide = typeof open;

async function transition(
  { store, engine }: { readonly store: Store; readonly engine: Engine },
  { how, actors: count }: TransitionOrder,
): Promise<number> {
  const docs = actors(count);
  await store.records.insert('subscriptions', docs.map(headOf));
  const requests = docs.map(({ _id: id }): Dispatch => ({ kind: 'subscription', id, event: EVENT, by: BY }));
  const began = performance.now();
  if (how === 'many') for (const result of await engine.dispatchMany(requests)) requireTaken(result);
  else await spread(requests, CONCURRENCY, async (request) => requireTaken(await engine.dispatch(request)));
  await untilIdle(engine);
  return performance.now() - began;
}

function requireTaken(result: Dispatched): void {
  if (result.kind !== 'taken' || !result.changed) throw new Error(`an actor did not accept an event: ${result.kind}`);
}

serve(open);
