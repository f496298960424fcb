import { MongoClient } from 'mongodb';
import { MACHINES } from '../../../machines/versions.ts';
import { lastRun } from '../../../src/jobs/last-run.ts';
import { type IndexTrouble, indexTroubles } from '../../../src/store/mongo/index-report.ts';
import { type Deployment, type Installation, withInstallation } from '../../lib/installation.ts';
import { silentLog } from '../../lib/silent-log.ts';
import { machineVersions, outboxes, overdueWakes, quarantined } from './checks/actors.ts';
import { chainTroubles, signingQueues } from './checks/chains.ts';
import { openCharges } from './checks/charges.ts';
import { audit, indexes } from './checks/ledger.ts';
import { failingEndpoints, heldDeposits } from './checks/people.ts';
import { olderRouters } from './checks/routers.ts';
import type { Examination, Found, Patient } from './finding.ts';

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
