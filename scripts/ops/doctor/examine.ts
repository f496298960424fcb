import { MongoClient } from 'mongodb';
import { unknownCase } from '../../../machines/unknown-case.ts';
import { MACHINES } from '../../../machines/versions.ts';
import { heldDeposits as depositsHeld } from '../../../src/billing/administration/deposits.ts';
import { usesOf } from '../../../src/billing/routers/router-use.ts';
import { lastRun } from '../../../src/jobs/last-run.ts';
import { replacedAt } from '../../../src/service/routers.ts';
import { failingEndpoints as endpointsFailing, FIRST_PART } from '../../../src/staff/inspect/trouble.ts';
import { depositView } from '../../../src/staff/views.ts';
import { type IndexTrouble, indexTroubles } from '../../../src/store/mongo/index-report.ts';
import { type Deployment, type Installation, withInstallation } from '../../lib/installation.ts';
import { silentLog } from '../../lib/silent-log.ts';
import { machineVersions, outboxes, overdueWakes, quarantined } from './checks/actors.ts';
import { chainTroubles, openCharges, signingQueues } from './checks/chains.ts';
import {
  type Examination,
  type Finding,
  type Found,
  found,
  hasWorkers,
  note,
  type Patient,
  SHOWN,
  wrong,
} from './finding.ts';

interface Check {
  readonly check: string;
  readonly title: string;
  readonly examine: (patient: Patient) => Promise<Found>;
}

/** Every check in display order: causes come before their effects. */
export const CHECKS: readonly Check[] = [
  { check: 'indexes', title: 'Indexes', examine: indexes },
  { check: 'versions', title: 'Machine versions of documents', examine: machineVersions },
  { check: 'chains', title: 'Chains', examine: chainTroubles },
  { check: 'routers', title: 'Older routers', examine: olderRouters },
  { check: 'queues', title: 'Signing queues and leases', examine: signingQueues },
  { check: 'wakes', title: 'Overdue wakes', examine: overdueWakes },
  { check: 'quarantined', title: 'Quarantined documents', examine: quarantined },
  { check: 'outboxes', title: 'Outboxes not drained', examine: outboxes },
  { check: 'charges', title: 'Charges that are not final', examine: openCharges },
  { check: 'deposits', title: 'Held deposits', examine: heldDeposits },
  { check: 'endpoints', title: 'Webhook endpoints', examine: failingEndpoints },
  { check: 'audit', title: 'Audit of ledger and chains', examine: audit },
];

/** Reads everything and changes nothing, except that it creates missing indexes, as every start does. */
export async function examineDeployment(deployment: Deployment): Promise<Examination[]> {
  const troubles = await indexTroubles(deployment.uri, deployment.config.mongodbDb, silentLog);
  if (troubles.some(({ kind }) => kind === 'differs')) return [await alone(troubles)];
  const workersSeenAt = await workersSeen(deployment);
  return withInstallation(deployment, async (installation) =>
    examine(await patientOf(installation, troubles, workersSeenAt)),
  );
}

export function examine(patient: Patient): Promise<Examination[]> {
  return Promise.all(
    CHECKS.map(async ({ check, title, examine: examineOne }) => ({ check, title, ...(await examineOne(patient)) })),
  );
}

/** With a different index no service starts, and nothing else can be checked. */
async function alone(troubles: readonly IndexTrouble[]): Promise<Examination> {
  return { check: 'indexes', title: 'Indexes', ...(await indexes({ indexes: troubles })) };
}

async function patientOf(
  { config, store, catalog, chains }: Installation,
  troubles: readonly IndexTrouble[],
  workersSeenAt: Date | null,
): Promise<Patient> {
  const reports = await Promise.all(chains.map((chain) => chain.health()));
  const depths = config.confirmations;
  return {
    store,
    catalog,
    machines: MACHINES,
    now: new Date(),
    chains: reports,
    olderRouters: chains.flatMap(({ chainId, routers }) => routers.slice(1).map((router) => ({ chainId, router }))),
    depths,
    indexes: troubles,
    workersSeenAt,
  };
}

export async function workersSeen({ uri, config }: Deployment): Promise<Date | null> {
  const client = await MongoClient.connect(uri, { serverSelectionTimeoutMS: 5_000 });
  try {
    return await lastRun(client.db(config.mongodbDb));
  } finally {
    await client.close();
  }
}

/** Money at deposit addresses that stays there until staff send it. */
async function heldDeposits({ store, catalog }: Patient): Promise<Found> {
  const page = { limit: SHOWN, start: 0 };
  const [count, held] = await Promise.all([
    store.records.count('deposits', { heldAt: { gt: new Date(0) } }, 1_000),
    depositsHeld({ store, catalog }, page),
  ]);
  const findings = held.items.slice(0, SHOWN).map((deposit) => {
    const { id, paymentId, left, tokenKey, held: why } = depositView(deposit);
    const what = `${left} ${tokenKey ?? 'of an unknown token'} of ${paymentId} is held: ${why ?? 'no reason is stored'}`;
    const todo = `POST /staff/api/deposits/${id}/send {"to": ADDRESS, "reason": WHY}, or in the console at ${paymentId}`;
    return wrong(id, what, todo, deposit.book.heldAt);
  });
  return found(findings, count);
}

/** Merchants' endpoints that do not accept deliveries; the merchants must repair them. */
async function failingEndpoints({ store, now }: Patient): Promise<Found> {
  const { count, items } = await endpointsFailing({ store }, FIRST_PART, now);
  const findings = items.map(({ id, title, detail, since }) => {
    const todo = `tell the merchant; after that POST /staff/api/deliveries/${id}/redeliver {"reason": WHY} for each failed delivery`;
    return { ...note(title, detail, todo), since };
  });
  return found(findings, count);
}

/** Routers behind the newest one of their chain: what still needs them, or that they can be dropped. */
async function olderRouters({ store, catalog, now, olderRouters: older }: Patient): Promise<Found> {
  const findings = await Promise.all(
    older.map(async (of): Promise<Finding> => {
      const uses = await usesOf({ store, catalog, clock: () => now }, of, await replacedAt(store.records, of));
      const label = catalog.chain(of.chainId)?.label ?? `chain ${of.chainId}`;
      const about = `${label}: ${of.router}`;
      return uses.length === 0
        ? note(about, 'nothing needs this older router any more', `remove it from ROUTER_${of.chainId}`)
        : note(
            about,
            `older router in use: ${uses.join(', ')}`,
            `keep it in ROUTER_${of.chainId}, behind the newer ones`,
          );
    }),
  );
  return found(findings);
}

/** The recurring audit runs every five minutes, so an older one is late. */
const AUDIT_OLD_MS = 3_600_000;

/** The last findings of the recurring audit, and whether it still runs. */
async function audit(patient: Patient): Promise<Found> {
  const { store, now, catalog } = patient;
  const audits = await store.records.find('audits', { where: {}, limit: 100 });
  const differing = audits.flatMap(({ _id, at, open }) =>
    open.map(({ kind, paymentId, txHash, what }) => {
      const todo =
        '`npm run ops -- audit` compares everything again; people must find out which key or database was misused';
      return wrong(paymentId ?? txHash ?? labelOf(catalog, _id), `${kind}: ${what}`, todo, at);
    }),
  );
  const old = audits.flatMap(({ _id, at }) => {
    if (at !== null && now.getTime() - at.getTime() < AUDIT_OLD_MS) return [];
    const todo = hasWorkers(patient)
      ? 'a worker runs but does not audit it: its log says why (`could not be audited`); meanwhile run `npm run ops -- audit`'
      : 'it continues when a worker runs; meanwhile run `npm run ops -- audit`';
    const report = hasWorkers(patient) ? wrong : note;
    const what = at === null ? 'no audit of it was ever completed' : 'was not audited within the last hour';
    return [report(labelOf(catalog, _id), what, todo, at)];
  });
  const count = audits.reduce((sum, { differences }) => sum + differences, 0);
  return found([...differing.slice(0, SHOWN), ...old], count + old.length);
}

function labelOf(catalog: Patient['catalog'], chainId: string): string {
  return catalog.chain(Number(chainId))?.label ?? `chain ${chainId}`;
}

/** Indexes that differ from their declarations. */
async function indexes({ indexes: troubles }: Pick<Patient, 'indexes'>): Promise<Found> {
  return found(
    troubles.map(({ collection, index, kind, what }): Finding => {
      const about = `${collection}.${index}`;
      const drop = `\`db.${collection}.dropIndex("${index}")\``;
      switch (kind) {
        case 'missing':
          return wrong(about, what, 'every start creates it, and so did this command: run it again');
        case 'differs':
          return wrong(about, what, `${drop} in mongosh, then start a process of this version, which creates it again`);
        case 'unknown':
          return note(about, what, `${drop} once no process of another version runs`);
        default:
          return unknownCase(kind, 'kind');
      }
    }),
  );
}
