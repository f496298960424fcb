import { type AuditDeps, auditAll, type ChainAudit } from '../src/billing/audit/audit.ts';
import { buildCatalog } from '../src/chains/catalog.ts';
import { markRestored } from '../src/chains/solana/restored/mark.ts';
import { type Config, ConfigError, readConfig } from '../src/config.ts';
import { DevnetError } from '../src/devnet/devnet-error.ts';
import type { Devnet } from '../src/devnet/join.ts';
import { loadSolana } from '../src/service/chains.ts';
import { joinLocalParts } from '../src/service/local-parts.ts';
import { openLocalWorld } from '../src/service/local-world.ts';
import { openWitnesses } from '../src/service/witnesses.ts';
import { openMongoStore } from '../src/store/mongo/store.ts';
import { readArguments, requireNothing } from './lib/arguments.ts';
import type { Environment } from './lib/running-service.ts';
import { runScript, ScriptError, UsageError } from './lib/script.ts';
import { table } from './lib/table.ts';
import { terminalOn } from './lib/terminal.ts';

const usage = `
npm run audit [-- --since T]
  Compare settled money with the chains' logs, both ways, and look for what is left where nothing may be left. Changes
  nothing. It takes the service's own environment, and may run beside it.
    --since          only what is in blocks from then on, by the chain's clock: 2026-01-31, or 2026-01-31T10:00:00Z
    --restored       before that, note that the database comes from a backup: charges on Solana wait until everything that
                     had been sent has landed or expired, and what has landed has been taken over
    --json           {"count", "chains": [{"chainId", "from", "to", "charges", "payments", "differences": […]}]} on stdout

Exit codes: 0 no difference, 1 a difference or not done, 2 not understood.
`;

const OPTIONS = { since: { type: 'string' }, restored: { type: 'boolean' }, json: { type: 'boolean' } } as const;

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

async function main(argv: readonly string[], environment: Environment): Promise<number> {
  const { values, positionals } = readArguments(argv, OPTIONS);
  requireNothing(positionals);
  const since = values.since === undefined ? null : momentOf(values.since);
  const audits = await onLedger(configOf(environment), async (deps) => {
    if (values.restored) await noteRestored(deps);
    return auditAll(deps, since);
  });
  const count = audits.reduce((sum, audit) => sum + audit.count, 0);
  const report = { count, chains: audits };
  process.stdout.write(values.json ? `${JSON.stringify(report, null, 2)}\n` : shown(audits, count));
  return count === 0 ? 0 : 1;
}

function momentOf(text: string): Date {
  const moment = new Date(text);
  if (/^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(moment.getTime())) return moment;
  throw new UsageError(`--since ${text}: expected a moment such as 2026-01-31T10:00:00Z`);
}

function configOf(environment: Environment): Config {
  try {
    return readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) throw new ScriptError(error.message);
    throw error;
  }
}

async function noteRestored({ store, witnesses }: AuditDeps): Promise<void> {
  for (const { family, chainId } of witnesses) {
    if (family === 'solana') await markRestored(store.records, chainId, 'the database was restored from a backup');
  }
}

/** Database and chains, as the service has them; always closed afterwards. */
async function onLedger<T>(config: Config, use: (deps: AuditDeps) => Promise<T>): Promise<T> {
  const devnet = await joinLocalParts(config, quiet).catch((error: unknown) => {
    throw error instanceof DevnetError ? new ScriptError(error.message) : error;
  });
  try {
    return await inWorld(config, devnet, use);
  } finally {
    await devnet?.leave({ graceful: true });
  }
}

async function inWorld<T>(config: Config, devnet: Devnet | null, use: (deps: AuditDeps) => Promise<T>): Promise<T> {
  const uri = config.mongodbUri ?? devnet?.mongo?.uri;
  if (uri === undefined) throw new ScriptError('No database: set MONGODB_URI');
  const world = await openLocalWorld(devnet);
  const catalog = buildCatalog({
    ...(world.evm ? { localEvm: { tokens: world.evm.tokens } } : {}),
    ...(world.solana ? { localSolana: { tokens: world.solana.tokens } } : {}),
  });
  const witnesses = openWitnesses({ config, world, catalog, solana: await loadSolana(config) });
  const store = await openMongoStore({ uri, dbName: config.mongodbDb, log: quiet });
  try {
    return await use({ store, catalog, witnesses });
  } finally {
    await Promise.all([store.close(), ...witnesses.map((witness) => witness.close())]);
  }
}

function shown(audits: readonly ChainAudit[], count: number): string {
  const { colors } = terminalOn(process.stdout, process.env['NO_COLOR']);
  const rows = audits.map(({ label, from, to, charges, payments, count: found }) => [
    label,
    `${from} to ${to}`,
    String(charges),
    String(payments),
    String(found),
  ]);
  const seen = table(['chain', 'blocks', 'charges', 'payments', 'differences'], rows);
  if (count === 0) return `${seen}\n${colors.green('No difference')}\n`;
  const differences = audits.flatMap(({ label, differences: list }) =>
    list.map(({ kind, paymentId, chargeKey, txHash, what }) => [
      label,
      kind,
      paymentId ?? '-',
      chargeKey ?? '-',
      txHash ?? '-',
      what,
    ]),
  );
  const found = table(['chain', 'difference', 'payment', 'charge key', 'transaction', 'what'], differences);
  return `${seen}\n${found}\n${colors.red(`${count} ${count === 1 ? 'difference' : 'differences'}`)}\n`;
}

await runScript({ usage, main: (argv) => main(argv, process.env) }, process.argv.slice(2));
