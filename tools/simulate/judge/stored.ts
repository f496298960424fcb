import { paymentContextOf } from '../../../src/model/payment.ts';
import { HEADS, needsHead } from '../../../src/store/actors/heads.ts';
import { timerId } from '../../../src/store/actors/timers.ts';
import type { ActorDoc, ActorKind } from '../../../src/store/documents.ts';
import type { Store } from '../../../src/store/port.ts';
import { allOf, KINDS, quarantinedIn, replayEverything } from '../../lib/stored.ts';
import type { SimulatedChain } from '../simulated-chain.ts';
import { depositViolations } from './deposits.ts';

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

/** Everything that has not ended, from actors to deposits; entries of the outbox, stale heads and missing timers. */
export async function unended(store: Store, chains: readonly SimulatedChain[]): Promise<string[]> {
  const open = depositViolations(await allOf(store, 'deposits'), chains);
  for (const { _id, entries } of await allOf(store, 'outbox')) {
    const left = entries.map(({ documentId, effects }) => `${effects.length} of ${documentId}`);
    open.push(`${_id} is in the outbox, with effects: ${left.join()}`);
  }
  const payments = await actors(store, 'payment');
  const later = new Set(payments.filter(isAllowedLater).map(({ _id }) => _id));
  for (const { _id, status } of payments) {
    if (!PAYMENT_ENDS.has(status) && !later.has(_id)) open.push(`${_id} is ${status}`);
  }
  for (const { _id } of await allOf(store, 'openPayments')) {
    if (!later.has(_id)) open.push(`${_id} is listed as open`);
  }
  for (const { _id, status } of await allOf(store, 'events')) {
    if (!DELIVERY_ENDS.has(status)) open.push(`${_id} is ${status}`);
  }
  for (const { _id, state } of await allOf(store, 'charges')) {
    if (!CHARGE_ENDS.has(state)) open.push(`charge ${_id} is ${state}`);
  }
  for (const { _id, state } of await allOf(store, 'transactions')) {
    if (!TRANSACTION_ENDS.has(state)) open.push(`transaction ${_id} is ${state}`);
  }
  return open.length > 0 ? open : misled(store);
}

/** The last use of a subscription that has ended: the limit of 30 days allows its charge after the run. */
function isAllowedLater(doc: ActorDoc): boolean {
  const { pausedFor, nextAttemptAt, cycleOf } = paymentContextOf(doc);
  return doc.status === 'pending' && cycleOf !== null && pausedFor === null && nextAttemptAt !== null;
}

/** Actors that lists would show wrongly, and those that nobody would wake. */
export async function misled(store: Store): Promise<string[]> {
  return (await Promise.all(KINDS.map((kind) => misledOf(store, kind)))).flat();
}

async function misledOf(store: Store, kind: ActorKind): Promise<string[]> {
  const heads = await allOf(store, HEADS[kind]);
  const timers = new Set((await store.records.find('timers', { where: { kind }, limit: MOST })).map(({ _id }) => _id));
  const born = await store.records.find('log', { where: { kind, 'set.createdAt': { gt: EVER } }, limit: MOST });
  const ids = born.map(({ _id }) => _id.slice(0, _id.lastIndexOf(':')));
  const open = await allOf(store, 'openPayments');
  const listed = new Set([...heads, ...open].map(({ _id }) => _id));
  const wrong = ids.filter((id) => !listed.has(id)).map((id) => `${id} is in no list`);
  for (const head of heads) {
    const [doc] = await store.actors.load(kind, [head._id]);
    if (!doc) continue;
    const { _id, rev, quarantine } = doc;
    if (needsHead({ ...head, headRev: head.rev, outbox: [], failures: 0 }, doc)) {
      wrong.push(`${_id} is at revision ${rev}, and its head of ${head.rev} has other values of listed fields`);
    }
    const timer = timerId(doc);
    if (timer !== null && quarantine === null && !timers.has(timer))
      wrong.push(`${_id} waits for a wake without timer`);
  }
  return wrong;
}

const EVER = new Date(0);

export async function quarantined(store: Store): Promise<string[]> {
  return (await quarantinedIn(store)).map(({ id, reason }) => `${id} was quarantined: ${reason}`);
}

/** Journals whose replay does not lead to the stored state. */
export async function unreplayed(store: Store): Promise<readonly string[]> {
  return (await replayEverything(store)).differences;
}
