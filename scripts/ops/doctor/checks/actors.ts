import { unknownCase } from '../../../../machines/unknown-case.ts';
import { actorKind } from '../../../../src/engine/journal.ts';
import { type ActorKind, EVERY_PARTITION } from '../../../../src/store/documents.ts';
import type { OutboxCollection, Where } from '../../../../src/store/port.ts';
import {
  before,
  COUNTED_MOST,
  type Finding,
  type Found,
  found,
  hasWorkers,
  PATIENCE_MS,
  type Patient,
  SHOWN,
  START_A_WORKER,
} from '../finding.ts';

const KINDS = actorKind.options;
const EVER = new Date(0);

/** Actors that should have been woken at least a minute ago. */
export async function overdueWakes(patient: Patient): Promise<Found> {
  const { store, now } = patient;
  const late = before(now, PATIENCE_MS);
  const todo = hasWorkers(patient)
    ? 'a worker runs but does not wake it: search for the id in its log (`jq \'select(.actor == "ID")\'`), and check its load'
    : START_A_WORKER;
  const all = await Promise.all(
    KINDS.map(async (kind) => {
      const where = { partition: { in: EVERY_PARTITION }, wakeAt: { lte: late }, quarantine: null };
      const [count, docs] = await Promise.all([
        store.actors.count(kind, where, COUNTED_MOST),
        store.actors.due(kind, EVERY_PARTITION, late, SHOWN),
      ]);
      const findings = docs.map(
        ({ _id, status, wakeAt }): Finding => ({
          severity: 'wrong',
          about: _id,
          what: `${kind}, ${status}: due, and nobody has woken it`,
          since: wakeAt?.toISOString() ?? null,
          todo,
        }),
      );
      return found(findings, count);
    }),
  );
  return together(all);
}

/** Quarantined actors. They accept no event until somebody has checked them. */
export async function quarantined({ store }: Patient): Promise<Found> {
  const where = { 'quarantine.at': { gt: EVER } };
  const all = await Promise.all(
    KINDS.map(async (kind) => {
      const [count, docs] = await Promise.all([
        store.actors.count(kind, where, COUNTED_MOST),
        store.actors.find(kind, { where, sort: [['quarantine.at', 1]], limit: SHOWN }),
      ]);
      const findings = docs.map(
        ({ _id, quarantine }): Finding => ({
          severity: 'wrong',
          about: _id,
          what: `${kind}: ${quarantine?.reason ?? 'no reason is stored'}`,
          since: quarantine?.at.toISOString() ?? null,
          todo: `remove the cause, then run \`npm run ops -- doctor release ${_id} --by NAME --reason WHY\`${restoring(kind, _id)}`,
        }),
      );
      return found(findings, count);
    }),
  );
  return together(all);
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
  const findings = stuck.slice(0, SHOWN).map(({ _id, first, relayFailures }): Finding => {
    const tried = relayFailures === 0 ? 'not tried, or waiting for another' : `failed ${relayFailures} times`;
    return {
      severity: 'wrong',
      about: _id,
      what: `${String(first.effect.type)} (${first.id}) is not carried out: ${tried}`,
      since: first.at.toISOString(),
      todo: hasWorkers(patient)
        ? `find the cause in the log of a worker: \`jq 'select(.actor == "${_id}") | .why'\`; the service tries it again`
        : START_A_WORKER,
    };
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
  const all = await Promise.all(
    KINDS.map(async (kind) => {
      const { current, older } = machines[kind];
      const oldest = Math.min(current.version, ...older.map(({ version }) => version));
      const [newer, gone, old] = await Promise.all(
        [{ gt: current.version }, { lt: oldest }, { gte: oldest, lt: current.version }].map((machineVersion) =>
          store.actors.count(kind, { machineVersion }, COUNTED_MOST),
        ),
      );
      const rows: (Finding | null)[] = [
        versionFinding('wrong', newer, kind, `of a version after ${current.version}, the newest that this code has`, {
          todo: 'another version of the service has written them: run that one, here too; this one leaves them alone',
        }),
        versionFinding('wrong', gone, kind, `of a version before ${oldest}, the oldest that this code has`, {
          todo: 'run a release that still has their version until none is left, before you go on to this one',
        }),
        versionFinding('note', old, kind, `of a version before ${current.version}, at rest`, {
          todo: 'each is brought to the newest by its next event; keep the older versions registered until then',
        }),
      ];
      return found(rows.filter((row) => row !== null));
    }),
  );
  return together(all);
}

function versionFinding(
  severity: Finding['severity'],
  count: number | undefined,
  kind: ActorKind,
  what: string,
  { todo }: Pick<Finding, 'todo'>,
): Finding | null {
  if (count === undefined || count === 0) return null;
  const many = count >= COUNTED_MOST ? `${COUNTED_MOST} or more` : String(count);
  return { severity, about: kind, what: `${many} documents ${what}`, since: null, todo };
}

/** Joins several lists, and limits the findings to those that are shown. */
export function together(all: readonly Found[]): Found {
  return found(
    all.flatMap(({ findings }) => findings).slice(0, SHOWN),
    all.reduce((sum, { count }) => sum + count, 0),
  );
}
