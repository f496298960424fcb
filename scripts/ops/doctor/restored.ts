import { MACHINES } from '../../../machines/versions.ts';
import { auditAll } from '../../../src/billing/audit/audit.ts';
import { markRestored } from '../../../src/chains/solana/restored/mark.ts';
import { actorKind } from '../../../src/engine/journal.ts';
import { replayAll } from '../../../src/engine/replay.ts';
import { indexTroubles } from '../../../src/store/mongo/index-report.ts';
import { type Deployment, withInstallation } from '../../lib/installation.ts';
import { silentLog } from '../../lib/silent-log.ts';
import { type Colors, markOf } from '../../lib/terminal.ts';
import { workersSeen } from './examine.ts';

/** One step before a service may start on a restored database. */
export interface Step {
  readonly step: string;
  readonly ok: boolean;
  readonly what: string;
  readonly todo: string | null;
}

/** A worker that ran this recently may still be running. */
const RECENT_MS = 15_000;
const NAMED = 20;

/**
 * Does the steps after a restore that a command can do. It checks that no worker runs, that indexes and journals are
 * sound, and which charges only the chains have, and makes charges on Solana wait until earlier ones are known.
 */
export async function afterRestore(deployment: Deployment): Promise<Step[]> {
  const seen = await workersSeen(deployment);
  if (seen !== null && Date.now() - seen.getTime() < RECENT_MS) {
    const what = `a worker ran a job at ${seen.toISOString()}`;
    return [{ step: 'no worker runs', ok: false, what, todo: 'stop every process of the service, and run this again' }];
  }
  const steps: Step[] = [{ step: 'no worker runs', ok: true, what: 'no worker has run within 15 s', todo: null }];
  steps.push(await indexStep(deployment));
  if (steps.some(({ ok }) => !ok)) return steps;
  return withInstallation(deployment, async (deps) => {
    const { store, chainReaders } = deps;
    const solana = chainReaders.filter(({ family }) => family === 'solana');
    for (const { chainId } of solana) {
      await markRestored(store.records, chainId, 'the database was restored from a backup');
    }
    const labels = solana.map(({ label }) => label).join(', ');
    const what = labels === '' ? 'no Solana chain is configured' : `charges on ${labels} wait after the start`;
    steps.push({ step: 'Solana waits', ok: true, what, todo: null });
    steps.push(await journalStep(store), ...(await auditSteps(deps)));
    return steps;
  });
}

async function indexStep({ uri, config }: Deployment): Promise<Step> {
  const troubles = await indexTroubles(uri, config.mongodbDb, silentLog);
  const wrong = troubles.filter(({ kind }) => kind === 'differs');
  const missing = troubles.filter(({ kind }) => kind === 'missing').length;
  const found = missing === 0 ? 'as declared' : `${missing} missing, made now`;
  const what = wrong.length === 0 ? found : wrong.map(({ index }) => index).join(', ');
  const todo = wrong.length === 0 ? null : '`npm run ops -- doctor` says which to drop';
  return { step: 'indexes', ok: wrong.length === 0, what, todo };
}

async function journalStep(store: Parameters<typeof replayAll>[0]): Promise<Step> {
  let actors = 0;
  const differing: string[] = [];
  for (const kind of actorKind.options) {
    for await (const { id, problem } of replayAll(store, MACHINES, kind)) {
      actors += 1;
      if (problem !== null) differing.push(id);
    }
  }
  const ok = differing.length === 0;
  const what = ok ? `${actors} journals lead to what is stored` : `${differing.length} of ${actors} differ`;
  const todo = `\`npm run ops -- doctor restore ID\` for each of ${differing.slice(0, NAMED).join(', ')}`;
  return { step: 'journals', ok, what, todo: ok ? null : todo };
}

async function auditSteps(deps: Parameters<typeof auditAll>[0]): Promise<Step[]> {
  const audits = await auditAll(deps, null);
  return audits.map(({ label, from, to, charges, count, differences }) => {
    const seen = `${charges} charges in blocks ${from} to ${to}`;
    if (count === 0) return { step: `audit of ${label}`, ok: true, what: seen, todo: null };
    const kinds = [...new Set(differences.map(({ kind }) => kind))].join(', ');
    const todo =
      'charges that only the chain has (`unknown_charge`) happened after the backup: the ledger gets them when their keys are charged again, and the money is never pulled twice. `npm run ops -- audit` names each';
    return { step: `audit of ${label}`, ok: false, what: `${seen}; ${count} differences: ${kinds}`, todo };
  });
}

export function stepsShown(steps: readonly Step[], colors: Colors): string {
  const lines = steps.map(({ step, ok, what, todo }) => {
    const head = ` ${markOf(ok, colors)} ${step}: ${what}\n`;
    return todo === null ? head : `${head}     → ${todo}\n`;
  });
  const isDone = steps.every(({ ok }) => ok);
  const next = isDone
    ? 'Start the service. /health shows until when Solana waits; after that run `npm run ops -- audit` again.'
    : 'Repair the marked steps, then run this again before the service starts.';
  return `${lines.join('')}\n${next}\nData newer than the backup is lost: a repeated request with an idempotency key from that time pays again.\n`;
}
