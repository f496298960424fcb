import { MACHINES } from '../../../machines/versions.ts';
import { journaledKinds, replayAll } from '../../../src/engine/replay-stored.ts';
import { type ActorDoc, type ActorKind, EVERY_PARTITION } from '../../../src/store/documents.ts';
import type { OutboxCollection, Store } from '../../../src/store/port.ts';
import type { SimulatedChain } from '../simulated-chain.ts';
import { depositsOf, depositViolations } from './deposits.ts';

const OUTBOXES: readonly OutboxCollection[] = ['subscription', 'payment', 'delivery', 'offers', 'customers', 'wallets'];
const KINDS: readonly ActorKind[] = ['subscription', 'payment', 'delivery'];
const FOR_EVER = new Date(8.64e15);
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
  for (const from of OUTBOXES) {
    for (const { _id, outbox } of await store.outboxes.unrelayed(from, EVERY_PARTITION, FOR_EVER, MOST)) {
      open.push(`${_id} has ${outbox.length} effects in its outbox: ${outbox.map(({ effect }) => effect.type).join()}`);
    }
  }
  for (const { _id, status } of await actors(store, 'payment')) {
    if (!PAYMENT_ENDS.has(status)) open.push(`${_id} is ${status}`);
  }
  for (const { _id, status } of await actors(store, 'delivery')) {
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

/** Actors in quarantine. */
export async function quarantined(store: Store): Promise<string[]> {
  const aside: string[] = [];
  for (const kind of KINDS) {
    for (const { _id, quarantine } of await actors(store, kind)) {
      if (quarantine) aside.push(`${_id} was quarantined: ${quarantine.reason}`);
    }
  }
  return aside;
}

/** Journals whose replay does not lead to the stored state. */
export async function unreplayed(store: Store): Promise<string[]> {
  const differing: string[] = [];
  for (const kind of journaledKinds(MACHINES)) {
    for await (const { problem } of replayAll(store, MACHINES, kind)) if (problem) differing.push(problem.message);
  }
  return differing;
}
