import type { Machines } from '../../../machines/versions.ts';
import { withSnapshot } from '../../engine/advance.ts';
import { journalOf } from '../../engine/journal.ts';
import { projectionOf } from '../../engine/projection.ts';
import { setQuarantine } from '../../engine/quarantine.ts';
import { ReplayError, type Replayed, replay, replayStored } from '../../engine/replay.ts';
import { isKnown, knownVersions, unsoundnessOf } from '../../engine/upcast.ts';
import { conflict, type Fault, invalid, notFound } from '../../errors/fault.ts';
import { messageOf } from '../../errors/message-of.ts';
import type { StaffAction } from '../../store/collections.ts';
import type { ActorKind, Quarantine, StoredActor } from '../../store/documents.ts';
import { newId } from '../../store/ids.ts';
import type { Store } from '../../store/port.ts';
import { deliveryIdOf, unsoundnessOf as deliveryUnsoundness, eventOfDelivery } from '../../webhooks/deliveries.ts';
import { keepEntries, type StaffOrder, staffEntry } from './staff-journal.ts';

export interface QuarantineDeps {
  readonly store: Store;
  readonly machines: Machines;
  readonly clock: () => Date;
}

/** An actor or a delivery that accepts events again. */
export interface SetFree {
  readonly id: string;
  readonly kind: ActorKind | 'delivery';
  readonly rev: number;
  /** Why it was quarantined; null: it was not. */
  readonly reason: string | null;
  readonly since: Date | null;
}

/** An actor or a delivery that may be in quarantine. */
interface Held extends Pick<SetFree, 'kind' | 'rev'> {
  readonly _id: string;
  readonly merchantId: string;
  readonly quarantine: Quarantine | null;
}

/**
 * Releases an actor from quarantine (docs/rules.md, "Staff") if its snapshot is sound and equals the replay of its
 * journal; or a delivery, if it is sound. An actor's outbox is tried again at once; an effect that fails again
 * quarantines it again. The entry with author and reason is in the merchant's staff journal before the release.
 * @throws Fault 400 for an id of no actor, 404, 409 if it is not quarantined or still broken: the message says where
 */
export async function releaseActor(deps: QuarantineDeps, id: string, order: StaffOrder): Promise<SetFree> {
  if (isDelivery(id)) return releaseDelivery(deps, id, order);
  const doc = await requireActor(deps.store, id);
  if (doc.quarantine === null) throw notQuarantined(id);
  const broken = (await differenceOf(deps, doc)) ?? whyUnsound(deps, doc);
  if (broken !== null) throw stillBroken(id, broken);
  await note(deps, doc, order, 'actor.released');
  await free(deps, doc, order);
  return setFree(doc, doc.rev + 1);
}

async function releaseDelivery(deps: QuarantineDeps, id: string, order: StaffOrder): Promise<SetFree> {
  const { records } = deps.store;
  const [event] = await records.get('events', [eventOfDelivery(id)]);
  if (!event) throw notFound();
  if (event.quarantine === null) throw notQuarantined(id);
  const broken = deliveryUnsoundness(event);
  if (broken !== null) throw stillBroken(id, broken);
  const delivery = { ...event, _id: deliveryIdOf(event._id), kind: 'delivery' } as const;
  await note(deps, delivery, order, 'actor.released');
  await records.change('events', event._id, {}, { set: { quarantine: null } });
  return setFree(delivery, event.rev);
}

function notQuarantined(id: string): Fault {
  return conflict(`${id} is not quarantined: there is nothing to release`);
}

function stillBroken(id: string, why: string): Fault {
  return conflict(`${id} is still broken: ${why}`);
}

/**
 * Replaces a snapshot by the replay of the actor's journal, as a journal row of its own with a higher `rev`, and
 * releases the actor. For a document that differs from its journal, quarantined or not. @throws Fault 400 for an id of
 * no actor, 404, 409 if there is nothing to restore, no journal, or a broken one
 */
export async function restoreActor(deps: QuarantineDeps, id: string, order: StaffOrder): Promise<SetFree> {
  const { store, machines } = deps;
  if (isDelivery(id)) throw conflict(`${id} is a delivery, which has no journal to restore it from`);
  const doc = await requireActor(store, id);
  if (!isKnown(machines, doc)) throw conflict(unknownVersion(machines, doc));
  if ((await differenceOf(deps, doc)) === null) {
    const next = doc.quarantine === null ? 'there is nothing to restore' : 'release it instead';
    throw conflict(`${id} is what its journal leads to: ${next}`);
  }
  const reached = await replayed(deps, doc);
  const now = deps.clock();
  const state = { state: reached.state, version: reached.version };
  const { doc: next, logged: events } = withSnapshot(doc, state, { by: order, now });
  const unsound = whyUnsound(deps, next);
  if (unsound !== null) throw conflict(`${id}: what its journal leads to is broken as well: ${unsound}`);
  await note(deps, doc, order, 'actor.restored');
  const after = { ...next, updatedAt: now };
  const commits = [{ before: doc, after, events, effects: [] }];
  const [verdict] = await store.actors.commit(doc.kind, { op: newId('op', now), at: now, relayAt: now, commits });
  if (verdict !== 'applied') throw conflict(`${id} has taken an event meanwhile: check it again`);
  if (doc.quarantine !== null) await free(deps, doc, order);
  return setFree(doc, after.rev);
}

function isDelivery(id: string): boolean {
  return id.startsWith('dlv_');
}

/** The kind of actor of an id; null: none. */
function kindOf(id: string): ActorKind | null {
  if (id.startsWith('sub_')) return 'subscription';
  return id.startsWith('pay_') ? 'payment' : null;
}

async function requireActor(store: Store, id: string): Promise<StoredActor> {
  const kind = kindOf(id);
  if (kind === null) throw invalid(`${id} names no actor; expected sub_…, pay_… or dlv_…`);
  const [doc] = await store.actors.load(kind, [id]);
  if (doc === undefined) throw notFound();
  return doc;
}

/**
 * The difference between the document and the replay of its journal, or between its projection and its snapshot; null:
 * none.
 */
async function differenceOf({ store, machines }: QuarantineDeps, doc: StoredActor): Promise<string | null> {
  if (!isKnown(machines, doc)) return unknownVersion(machines, doc);
  const { problem } = await replayStored(store, machines, doc);
  return problem === null ? projectionDifference(doc) : problem.message;
}

function projectionDifference(doc: StoredActor): string | null {
  try {
    const { status, wakeAt, clockOffsetMs } = projectionOf(doc);
    if (status !== doc.status) return `its status is ${doc.status}; its state is ${status}`;
    if (clockOffsetMs !== doc.clockOffsetMs) return 'its clockOffsetMs is not that of its context';
    return wakeAt?.getTime() === doc.wakeAt?.getTime() ? null : 'its wakeAt is not that of its context';
  } catch (error) {
    return messageOf(error);
  }
}

function whyUnsound({ machines }: QuarantineDeps, doc: StoredActor): string | null {
  try {
    return unsoundnessOf(machines, doc);
  } catch (error) {
    return messageOf(error);
  }
}

async function replayed({ store, machines }: QuarantineDeps, doc: StoredActor): Promise<Replayed> {
  try {
    const reached = replay(machines, doc, await journalOf(store, doc));
    if (reached.rev === doc.rev) return reached;
    throw conflict(`${doc._id} is at rev ${doc.rev}, its journal leads to rev ${reached.rev}: expected the same`);
  } catch (error) {
    if (!(error instanceof ReplayError)) throw error;
    throw conflict(`${doc._id} cannot be restored, its journal leads nowhere: ${error.message}`);
  }
}

function unknownVersion(machines: Machines, { kind, machineVersion }: StoredActor): string {
  const known = knownVersions(machines, kind).join(', ');
  return `it is of version ${machineVersion} of ${kind}; this code knows ${known}`;
}

/**
 * Written before the act that it reports: of a process that dies in between the journal says more than was done, never
 * less.
 */
async function note({ store, clock }: QuarantineDeps, doc: Held, order: StaffOrder, action: StaffAction) {
  const { _id, kind, rev, merchantId, quarantine } = doc;
  const aside = quarantine === null ? null : { at: quarantine.at.toISOString(), reason: quarantine.reason };
  const details = { id: _id, kind, rev, quarantine: aside };
  await keepEntries(store.records, [staffEntry(order, merchantId, clock(), { action, details })]);
}

async function free({ store, clock }: QuarantineDeps, { kind, _id: id }: StoredActor, by: StaffOrder): Promise<void> {
  await setQuarantine({ store, clock }, { kind, id, quarantine: null, by });
}

function setFree({ _id: id, kind, quarantine }: Held, rev: number): SetFree {
  return { id, kind, rev, reason: quarantine?.reason ?? null, since: quarantine?.at ?? null };
}
