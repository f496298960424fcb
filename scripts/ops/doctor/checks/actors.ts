import { unknownCase } from '../../../../machines/unknown-case.ts';
import { actorKind } from '../../../../src/engine/journal.ts';
import type { EventDoc } from '../../../../src/store/collections.ts';
import { type ActorDoc, type ActorKind, EVERY_PARTITION } from '../../../../src/store/documents.ts';
import type { OutboxCollection, Where } from '../../../../src/store/port.ts';
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
  const where = { partition: { in: EVERY_PARTITION }, wakeAt: { lte: late }, quarantine: null };
  const overdue = (kind: string, docs: readonly Overdue[], count: number): Found => {
    const what = ({ _id, status, wakeAt }: Overdue) =>
      wrong(_id, `${kind}, ${status}: due, and nobody has woken it`, todo, wakeAt);
    return found(docs.map(what), count);
  };
  const [actors, count, events] = await Promise.all([
    ofEveryKind(async (kind) =>
      overdue(
        kind,
        await store.actors.due(kind, EVERY_PARTITION, late, SHOWN),
        await store.actors.count(kind, where, COUNTED_MOST),
      ),
    ),
    store.records.count('events', where, COUNTED_MOST),
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

const OUTBOXES: readonly OutboxCollection[] = [...KINDS, 'offers', 'customers', 'wallets'];

/** Documents with an effect that is at least a minute old and has not run. */
export async function outboxes(patient: Patient): Promise<Found> {
  return together(await Promise.all(OUTBOXES.map((from) => outboxesOf(patient, from))));
}

async function outboxesOf(patient: Patient, from: OutboxCollection): Promise<Found> {
  const { now } = patient;
  const where = { partition: { in: EVERY_PARTITION }, relayAt: { gt: EVER }, quarantine: null };
  const late = before(now, PATIENCE_MS);
  const docs = await waitingDocs(patient, from, where);
  const stuck = docs.flatMap(({ _id, outbox, relayFailures }) => {
    const [first] = outbox;
    return first !== undefined && first.at < late ? [{ _id, first, relayFailures }] : [];
  });
  const findings = stuck.slice(0, SHOWN).map(({ _id, first, relayFailures }) => {
    const tried = relayFailures === 0 ? 'not tried, or waiting for another' : `failed ${relayFailures} times`;
    const what = `${String(first.effect.type)} (${first.id}) is not carried out: ${tried}`;
    const todo = hasWorkers(patient)
      ? `find the cause in the log of a worker: \`jq 'select(.actor == "${_id}") | .why'\`; the service tries it again`
      : START_A_WORKER;
    return wrong(_id, what, todo, first.at);
  });
  return found(findings, stuck.length);
}

/** The documents that have waited longest, up to the limit of this check. */
function waitingDocs({ store }: Patient, from: OutboxCollection, where: Where) {
  const query = { where, sort: [['relayAt', 1]] as const, limit: 1_000 };
  switch (from) {
    case 'subscription':
    case 'payment':
      return store.actors.find(from, query);
    case 'offers':
    case 'customers':
    case 'wallets':
      return store.records.find(from, query);
    default:
      return unknownCase(from, 'collection');
  }
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
