import { unknownCase } from '../../../../machines/unknown-case.ts';
import { actorKind } from '../../../../src/engine/journal.ts';
import { type ActorKind, EVERY_PARTITION } from '../../../../src/store/documents.ts';
import type { OutboxCollection, Where } from '../../../../src/store/port.ts';
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
  return ofEveryKind(async (kind) => {
    const where = { partition: { in: EVERY_PARTITION }, wakeAt: { lte: late }, quarantine: null };
    const [count, docs] = await Promise.all([
      store.actors.count(kind, where, COUNTED_MOST),
      store.actors.due(kind, EVERY_PARTITION, late, SHOWN),
    ]);
    const findings = docs.map(({ _id, status, wakeAt }) =>
      wrong(_id, `${kind}, ${status}: due, and nobody has woken it`, todo, wakeAt),
    );
    return found(findings, count);
  });
}

/** Quarantined actors. They accept no event until somebody has checked them. */
export async function quarantined({ store }: Patient): Promise<Found> {
  const where = { 'quarantine.at': { gt: EVER } };
  return ofEveryKind(async (kind) => {
    const [count, docs] = await Promise.all([
      store.actors.count(kind, where, COUNTED_MOST),
      store.actors.find(kind, { where, sort: [['quarantine.at', 1]], limit: SHOWN }),
    ]);
    const findings = docs.map(({ _id, quarantine }) => {
      const what = `${kind}: ${quarantine?.reason ?? 'no reason is stored'}`;
      const todo = `remove the cause, then run \`npm run ops -- doctor release ${_id} --by NAME --reason WHY\`${restoring(kind, _id)}`;
      return wrong(_id, what, todo, quarantine?.at);
    });
    return found(findings, count);
  });
}

function restoring(kind: ActorKind, id: string): string {
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
    case 'delivery':
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
