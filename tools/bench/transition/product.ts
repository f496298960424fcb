import { MACHINES } from '../../../machines/versions.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { noFaults } from '../../../src/engine/faults.ts';
import type { Dispatch, Dispatched } from '../../../src/engine/types.ts';
import { openMongoStore } from '../../../src/store/mongo/store.ts';
import type { Store } from '../../../src/store/port.ts';
import { spread } from '../../lib/spread.ts';
import { answerOrders } from '../answer-orders.ts';
import { handlersOf } from '../handlers.ts';
import { actors, admitsNothing, BY, EVENT } from './actors.ts';
import { CONCURRENCY, type TransitionOrder, transitionOrder } from './messages.ts';

/**
 * The product of `transition`, in its own process: store and engine as a service composes them. The clock stops when
 * every event is stored, its journal row is written, and every outbox is empty.
 *
 * Arguments: URI, database. It answers each `TransitionOrder` with `{ms}`.
 */
const INSERT_BATCH = 1_000;

interface Product {
  readonly store: Store;
  readonly engine: Engine;
}

async function open([uri = '', dbName = '']: readonly string[]): Promise<Product> {
  const fail = (fields: object, message: string) => {
    throw new Error(`${message}: ${JSON.stringify(fields)}`);
  };
  const log = { debug: () => undefined, info: () => undefined, warn: fail, error: fail };
  const clock = () => new Date();
  const store = await openMongoStore({ uri, dbName, log });
  const engine = new Engine({ store, clock, log, fault: noFaults, machines: MACHINES, dispatchesDue: true }, () => ({
    admits: admitsNothing,
    dueEvents: async () => [],
    handlers: handlersOf({}),
  }));
  return { store, engine };
}

async function run({ store, engine }: Product, { how, actors: count }: TransitionOrder): Promise<{ ms: number }> {
  const docs = actors(count);
  for (let at = 0; at < docs.length; at += INSERT_BATCH) {
    await store.actors.insert('subscription', docs.slice(at, at + INSERT_BATCH));
  }
  const requests = docs.map(({ _id: id }): Dispatch => ({ kind: 'subscription', id, event: EVENT, by: BY }));
  const began = performance.now();
  if (how === 'many') for (const result of await engine.dispatchMany(requests)) requireTaken(result);
  else await spread(requests, CONCURRENCY, async (request) => requireTaken(await engine.dispatch(request)));
  while (engine.isBusy()) await new Promise((resolve) => setImmediate(resolve));
  return { ms: performance.now() - began };
}

function requireTaken(result: Dispatched): void {
  if (result.kind !== 'taken' || !result.changed) throw new Error(`an actor did not accept an event: ${result.kind}`);
}

const opening = open(process.argv.slice(2));
answerOrders(transitionOrder, async (order) => run(await opening, order));
