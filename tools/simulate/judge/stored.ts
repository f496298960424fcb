import type { ActorDoc, ActorKind } from '../../../src/store/documents.ts';
import type { Store } from '../../../src/store/port.ts';
import { quarantinedIn, replayEverything, unrelayedIn } from '../../lib/stored.ts';
import type { SimulatedChain } from '../simulated-chain.ts';
import { depositsOf, depositViolations } from './deposits.ts';

const MOST = 10_000;

/** The final states of a charge, a payment and a delivery. */
const CHARGE_ENDS: ReadonlySet<string> = new Set(['final', 'refused', 'withdrawn']);
/** A reorganisation may still change any other one. */
const TRANSACTION_ENDS: ReadonlySet<string> = new Set(['finalized', 'expired']);
const PAYMENT_ENDS: ReadonlySet<string> = new Set(['settled', 'failed', 'canceled']);
const DELIVERY_ENDS: ReadonlySet<string> = new Set(['delivered', 'failed', 'no_endpoint']);

export function actors(store: Store, kind: ActorKind): Promise<ActorDoc[]> {
  return store.actors.find(kind, { where: {}, sort: [['_id', 1]], limit: MOST });
}

/** Actors, charges, transactions and deposits that have not ended, and outboxes that are not empty. */
export async function unended(store: Store, chains: readonly SimulatedChain[]): Promise<string[]> {
  const open = depositViolations(await depositsOf(store), chains);
  for (const { _id, outbox } of await unrelayedIn(store)) {
    open.push(`${_id} has ${outbox.length} effects in its outbox: ${outbox.map(({ effect }) => effect.type).join()}`);
  }
  for (const { _id, status } of await actors(store, 'payment')) {
    if (!PAYMENT_ENDS.has(status)) open.push(`${_id} is ${status}`);
  }
  for (const { _id, status } of await store.records.find('events', { where: {}, limit: MOST })) {
    if (!DELIVERY_ENDS.has(status)) open.push(`${_id} is ${status}`);
  }
  for (const { _id, state } of await store.records.find('charges', { where: {}, limit: MOST })) {
    if (!CHARGE_ENDS.has(state)) open.push(`charge ${_id} is ${state}`);
  }
  for (const { _id, state } of await store.records.find('transactions', { where: {}, limit: MOST })) {
    if (!TRANSACTION_ENDS.has(state)) open.push(`transaction ${_id} is ${state}`);
  }
  return open;
}

export async function quarantined(store: Store): Promise<string[]> {
  return (await quarantinedIn(store)).map(({ id, reason }) => `${id} was quarantined: ${reason}`);
}

/** Journals whose replay does not lead to the stored state. */
export async function unreplayed(store: Store): Promise<readonly string[]> {
  return (await replayEverything(store)).differences;
}
