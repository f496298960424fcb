import { actorKind } from '../../../../src/engine/journal.ts';
import { isActor } from '../../../../src/engine/relay.ts';
import { pendingOf } from '../../../../src/store/actors/log-actors.ts';
import type { EventDoc } from '../../../../src/store/collections.ts';
import {
  type ActorDoc,
  type ActorKind,
  EVERY_PARTITION,
  type OutboxDoc,
  type OutboxItem,
  type OutboxSource,
} from '../../../../src/store/documents.ts';
import type { Store } from '../../../../src/store/port.ts';
import { deliveryIdOf } from '../../../../src/webhooks/deliveries.ts';
import { dueEvents } from '../../../../src/webhooks/due-deliveries.ts';
import {
  before,
  COUNTED_MOST,
  type Found,
  found,
  hasWorkers,
  note,
  PATIENCE_MS,
  type Patient,
  SHOWN,
  START_A_WORKER,
  together,
  wrong,
} from '../finding.ts';

const KINDS = actorKind.options;
const EVER = new Date(0);

async function ofEveryKind(check: (kind: ActorKind) => Promise<Found>): Promise<Found> {
  return together(await Promise.all(KINDS.map(check)));
}

/** Actors that should have been woken at least a minute ago. */
export async function overdueWakes(patient: Patient): Promise<Found> {
  const { store, now } = patient;
  const late = before(now, PATIENCE_MS);
  const todo = hasWorkers(patient)
    ? 'a worker runs but does not wake it: search for the id in its log (`jq \'select(.actor == "ID")\'`), and check its load'
    : START_A_WORKER;
  const overdue = (kind: string, docs: readonly Overdue[], count: number): Found => {
    const what = ({ _id, status, wakeAt }: Overdue) =>
      wrong(_id, `${kind}, ${status}: due, and nobody has woken it`, todo, wakeAt);
    return found(docs.map(what), count);
  };
  const partition = { in: EVERY_PARTITION };
  const [actors, count, events] = await Promise.all([
    ofEveryKind(async (kind) => {
      const [timers, { docs, others }] = await Promise.all([
        store.records.count('timers', { kind, partition, at: { lte: late } }, COUNTED_MOST),
        dueActors(store, kind, late, SHOWN),
      ]);
      return overdue(kind, docs, timers - others);
    }),
    store.records.count('events', { partition, wakeAt: { lte: late }, quarantine: null }, COUNTED_MOST),
    dueEvents(store, late, SHOWN),
  ]);
  return together([actors, overdue('delivery', events.map(asDelivery), count)]);
}

type Overdue = Pick<ActorDoc, '_id' | 'status' | 'wakeAt'>;

function asDelivery(event: EventDoc): EventDoc {
  return { ...event, _id: deliveryIdOf(event._id) };
}

/** Quarantined actors. They accept no event until somebody has checked them. */
export async function quarantined({ store }: Patient): Promise<Found> {
  const query = { where: { 'quarantine.at': { gt: EVER } }, sort: [['quarantine.at', 1]] as const, limit: SHOWN };
  const held = (kind: ActorKind | 'delivery', docs: readonly Held[], count: number): Found => {
    const findings = docs.map(({ _id, quarantine }) => {
      const what = `${kind}: ${quarantine?.reason ?? 'no reason is stored'}`;
      const todo = `remove the cause, then run \`npm run ops -- doctor release ${_id} --by NAME --reason WHY\`${restoring(kind, _id)}`;
      return wrong(_id, what, todo, quarantine?.at);
    });
    return found(findings, count);
  };
  const [actors, count, events] = await Promise.all([
    ofEveryKind(async (kind) =>
      held(kind, await store.actors.find(kind, query), await store.actors.count(kind, query.where, COUNTED_MOST)),
    ),
    store.records.count('events', query.where, COUNTED_MOST),
    store.records.find('events', query),
  ]);
  return together([actors, held('delivery', events.map(asDelivery), count)]);
}

type Held = Pick<ActorDoc, '_id' | 'quarantine'>;

function restoring(kind: ActorKind | 'delivery', id: string): string {
  return kind === 'delivery'
    ? ''
    : `; if it differs from its journal, \`npm run ops -- doctor restore ${id}\` with the same flags`;
}

/** Documents with an effect that is at least a minute old and has not run. */
export async function outboxes(patient: Patient): Promise<Found> {
  return together(await Promise.all(OUTBOX_SOURCES.map((source) => outboxesOf(patient, source))));
}

async function outboxesOf(patient: Patient, source: OutboxSource): Promise<Found> {
  const { store, now } = patient;
  const late = before(now, PATIENCE_MS);
  const where = { source, at: { gt: EVER } };
  const oldest = await store.records.find('outbox', { where, sort: [['at', 1]], ties: 'any', limit: 1_000 });
  const stuck = (await pendingIn(store, source, oldest)).flatMap(({ _id, outbox, failures }) => {
    const [first] = outbox;
    return first !== undefined && first.at < late ? [{ _id, first, failures }] : [];
  });
  const findings = stuck.slice(0, SHOWN).map(({ _id, first, failures }) => {
    const tried = failures === 0 ? 'not tried, or waiting for another' : `failed ${failures} times`;
    const what = `${String(first.effect.type)} (${first.id}) is not carried out: ${tried}`;
    const todo = hasWorkers(patient)
      ? `find the cause in the log of a worker: \`jq 'select(.actor == "${_id}") | .why'\`; the service tries it again`
      : START_A_WORKER;
    return wrong(_id, what, todo, first.at);
  });
  return found(findings, stuck.length);
}

/** Documents of versions that this code does not know, and of older known ones. */
export async function machineVersions({ store, machines }: Patient): Promise<Found> {
  return ofEveryKind(async (kind) => {
    const { current, older } = machines[kind];
    const oldest = Math.min(current.version, ...older.map(({ version }) => version));
    const groups = [
      {
        report: wrong,
        machineVersion: { gt: current.version },
        which: `of a version after ${current.version}, the newest that this code has`,
        todo: 'another version of the service has written them: run that one, here too; this one leaves them alone',
      },
      {
        report: wrong,
        machineVersion: { lt: oldest },
        which: `of a version before ${oldest}, the oldest that this code has`,
        todo: 'run a release that still has their version until none is left, before you go on to this one',
      },
      {
        report: note,
        machineVersion: { gte: oldest, lt: current.version },
        which: `of a version before ${current.version}, at rest`,
        todo: 'each is brought to the newest by its next event; keep the older versions registered until then',
      },
    ];
    const findings = await Promise.all(
      groups.map(async ({ report, machineVersion, which, todo }) => {
        const count = await store.actors.count(kind, { machineVersion }, COUNTED_MOST);
        const many = count >= COUNTED_MOST ? `${COUNTED_MOST} or more` : String(count);
        return count === 0 ? [] : [report(kind, `${many} documents ${which}`, todo)];
      }),
    );
    return found(findings.flat());
  });
}

interface Due {
  /** The longest due first. */
  readonly docs: readonly ActorDoc[];
  /** The number of timers read that wake nobody. */
  readonly others: number;
}

/** The actors of up to `limit` timers that are due. Unlike the store's `due`, it removes no timer. */
async function dueActors({ actors, records }: Store, kind: ActorKind, now: Date, limit: number): Promise<Due> {
  const where = { kind, partition: { in: EVERY_PARTITION }, at: { lte: now } };
  const timers = await records.find('timers', { where, sort: [['at', 1]], ties: 'any', limit });
  const ids = timers.map(({ actorId }) => actorId);
  const docs = (await actors.load(kind, ids)).filter(
    ({ wakeAt, quarantine }) => wakeAt !== null && wakeAt <= now && quarantine === null,
  );
  const sorted = docs.toSorted((one, other) => Number(one.wakeAt) - Number(other.wakeAt));
  return { docs: sorted, others: timers.length - docs.length };
}

export const OUTBOX_SOURCES: readonly OutboxSource[] = ['subscription', 'payment', 'offers', 'customers', 'wallets'];

/** A document with effects that have not run. */
export interface Pending {
  readonly _id: string;
  readonly outbox: readonly OutboxItem[];
  /** How often the first of them has failed. */
  readonly failures: number;
}

/** The documents with effects in these outboxes; not those in quarantine, whose effects wait for their release. */
export async function pendingIn(
  store: Store,
  source: OutboxSource,
  outboxes: readonly OutboxDoc[],
): Promise<readonly Pending[]> {
  const entries = outboxes.flatMap((outbox) => outbox.entries.filter(({ effects }) => effects.length > 0));
  const ids = [...new Set(entries.map(({ documentId }) => documentId))];
  const owners = isActor(source)
    ? (await store.actors.load(source, ids)).filter(({ quarantine }) => quarantine === null)
    : (await store.records.get(source, ids)).map(({ _id, outboxId }) => {
        return {
          _id,
          ...pendingOf(
            _id,
            outboxes.find((outbox) => outbox._id === outboxId),
          ),
        };
      });
  return owners.filter(({ outbox }) => outbox.length > 0);
}
