import { MACHINES } from '../../machines/versions.ts';
import {
  type QuarantineDeps,
  releaseActor,
  restoreActor,
  type SetFree,
} from '../../src/billing/administration/quarantine.ts';
import type { StaffOrder } from '../../src/billing/administration/staff-journal.ts';
import { Fault } from '../../src/errors/fault.ts';
import { evmConnection, solanaConnection } from '../../src/service/chains.ts';
import { catalogOf, NO_LOCAL_WORLD } from '../../src/service/local-world.ts';
import { paymentIdOf } from '../../src/store/ids.ts';
import { configOf, type Deployment, withDeployment, withStore } from '../lib/installation.ts';
import { type Outcome, print, ScriptError, scriptWith, UsageError } from '../lib/script.ts';
import { type Terminal, terminalOn } from '../lib/terminal.ts';
import { examineDeployment } from './doctor/examine.ts';
import { afterRestore, stepsShown } from './doctor/restored.ts';
import { shown, wrongIn } from './doctor/show.ts';
import { checkTokens, type TokenSource, tokensShown } from './doctor/tokens.ts';
import { orderOf } from './staff-order.ts';

const usage = `
npm run ops -- doctor [--json]
  List the stuck work with its time and its remedy. Changes nothing. It needs the service's environment. The service may run
  or not.
npm run ops -- doctor --tokens
  Compare every token of every configured chain with a node: code, symbol, decimals; mints and their extensions.
npm run ops -- doctor release ID --by NAME --reason WHY
  Take a document out of quarantine. Refused unless its journal leads to the stored state.
npm run ops -- doctor restore ID --by NAME --reason WHY
  Replace a damaged document by the state that its journal leads to, and take it out of quarantine.
npm run ops -- doctor restore
  Run it after a restore from a backup, before the service starts: it does and checks the necessary steps.
    --json           the same as JSON on stdout
    --by, --reason   for the staff journal

Exit codes: 0 no fault (notes may be there) or done, 1 something is wrong or not done, 2 the arguments are wrong.
`;

export const doctor = scriptWith({
  usage,
  options: {
    json: { type: 'boolean' },
    tokens: { type: 'boolean' },
    by: { type: 'string' },
    reason: { type: 'string' },
  },
  takes: 2,
  run: async ({ json, tokens = false, by, reason }, [command, id]) => {
    if (id === undefined && (by !== undefined || reason !== undefined)) {
      throw new UsageError('--by and --reason are for release ID and restore ID');
    }
    if (tokens && command !== undefined) throw new UsageError(`--tokens is not for ${command}`);
    const terminal = terminalOn(process.stderr, process.env['NO_COLOR']);
    const out = terminalOn(process.stdout, process.env['NO_COLOR']);
    const verdict = await verdictOf(command, id, { by, reason, tokens, terminal, out });
    print(verdict, json);
    return verdict.ok ? 0 : 1;
  },
});

/** The result of a command, and whether all is well. */
interface Verdict extends Outcome {
  readonly ok: boolean;
}

interface DoctorRun {
  readonly by: string | undefined;
  readonly reason: string | undefined;
  readonly tokens: boolean;
  /** `terminal` is for progress, `out` for results. */
  readonly terminal: Terminal;
  readonly out: Terminal;
}

function verdictOf(command: string | undefined, id: string | undefined, asked: DoctorRun): Promise<Verdict> {
  switch (command) {
    case undefined:
      return asked.tokens ? examineTokens(asked) : examination(asked);
    case 'release':
      return free(releaseActor, 'released', id, asked);
    case 'restore':
      return id === undefined ? restoration(asked) : free(restoreActor, 'restored', id, asked);
    default:
      throw new UsageError(`There is no command ${command}: expected release or restore, or none`);
  }
}

async function examination({ terminal, out }: DoctorRun): Promise<Verdict> {
  const done = terminal.busy('checking database and chains');
  const examinations = await withDeployment(configOf(process.env), examineDeployment).finally(done);
  const wrong = wrongIn(examinations);
  return { json: { wrong, examinations }, text: shown(examinations, new Date(), out.colors), ok: wrong === 0 };
}

async function examineTokens({ terminal, out }: DoctorRun): Promise<Verdict> {
  const done = terminal.busy('asking the nodes');
  const tokens = await withDeployment(configOf(process.env), async (deployment) =>
    checkTokens(await tokenSources(deployment)),
  ).finally(done);
  const ok = tokens.every(({ problem }) => problem === null);
  return { json: { tokens }, text: tokensShown(tokens, out.colors), ok };
}

/** The configured chains, each with its first node. */
async function tokenSources({ config, parts }: Deployment): Promise<TokenSource[]> {
  const world = (await parts?.openWorld()) ?? NO_LOCAL_WORLD;
  return catalogOf(world).chains.flatMap((chain) => {
    const connection =
      chain.family === 'evm' ? evmConnection({ world, config }, chain) : solanaConnection({ world, config }, chain);
    return connection === null ? [] : [{ chain, rpcUrl: connection.rpcUrls[0] }];
  });
}

async function restoration({ terminal, out }: DoctorRun): Promise<Verdict> {
  const done = terminal.busy('replaying journals, auditing chains');
  const steps = await withDeployment(configOf(process.env), afterRestore).finally(done);
  return { json: { steps }, text: stepsShown(steps, out.colors), ok: steps.every(({ ok }) => ok) };
}

type Freeing = (deps: QuarantineDeps, id: string, order: StaffOrder) => Promise<SetFree>;

async function free(work: Freeing, done: string, id: string | undefined, asked: DoctorRun): Promise<Verdict> {
  if (id === undefined) throw new UsageError('ID is missing');
  const order = orderOf(asked);
  const clock = () => new Date();
  const freed = await withStore(process.env, (store) =>
    work({ store, machines: MACHINES, clock }, paymentIdOf(id), order),
  ).catch((error: unknown) => explain(error, id));
  const was = freed.reason === null ? '' : `; it was quarantined since ${freed.since?.toISOString()}: ${freed.reason}`;
  const next = 'If it is quarantined again, `npm run ops -- doctor` shows it within a minute, with the cause.';
  return { json: freed, text: `${freed.id}: ${done} at rev ${freed.rev}${was}\n${next}\n`, ok: true };
}

function explain(error: unknown, id: string): never {
  if (!(error instanceof Fault)) throw error;
  if (error.code === 'invalid') throw new UsageError(error.message);
  throw new ScriptError(error.code === 'not_found' ? `There is no ${id}` : error.message);
}
