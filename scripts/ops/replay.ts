import pc from 'picocolors';
import { MACHINES } from '../../machines/versions.ts';
import { actorKind } from '../../src/engine/journal.ts';
import { replayAll, replayStored, type Verdict } from '../../src/engine/replay.ts';
import type { ActorKind } from '../../src/store/documents.ts';
import { paymentIdOf } from '../../src/store/ids.ts';
import type { Store } from '../../src/store/port.ts';
import { withStore } from '../lib/installation.ts';
import { print, ScriptError, scriptWith, UsageError } from '../lib/script.ts';

const usage = `
npm run ops -- replay --all | ID [--json]
  Replay journals and compare their results with the stored state, bit for bit. Changes nothing.
    --all            every subscription and payment; otherwise ID, in any spelling
    --json           {"actors", "events", "differences": [{"actor", "rev", "problem"}]} on stdout
    MONGODB_URI      the database (default: the embedded one of DATA_DIR, ./data, with or without a running service)

Exit codes: 0 no difference, 1 a difference (actor and rev are named) or not done, 2 the arguments are wrong.
`;

interface Report {
  readonly actors: number;
  readonly events: number;
  readonly differences: readonly { readonly actor: string; readonly rev: number; readonly problem: string }[];
}

export const replay = scriptWith({
  usage,
  options: { all: { type: 'boolean' }, json: { type: 'boolean' } },
  takes: 1,
  run: async ({ all = false, json }, [id]) => {
    if (all === (id !== undefined)) throw new UsageError('Expected --all, or one ID');
    const report = await withStore(process.env, async (store) =>
      reportOf(id === undefined ? everything(store) : one(store, paymentIdOf(id))),
    );
    print({ json: report, text: describe(report) }, json);
    return report.differences.length === 0 ? 0 : 1;
  },
});

async function* everything(store: Store): AsyncGenerator<Verdict> {
  for (const kind of actorKind.options) yield* replayAll(store, MACHINES, kind);
}

async function* one(store: Store, id: string): AsyncGenerator<Verdict> {
  const [doc] = await store.actors.load(kindOf(id), [id]);
  if (!doc) throw new ScriptError(`There is no ${kindOf(id)} ${id}`);
  yield await replayStored(store, MACHINES, doc);
}

function kindOf(id: string): ActorKind {
  if (id.startsWith('sub_')) return 'subscription';
  if (id.startsWith('pay_')) return 'payment';
  throw new UsageError(`${id} is no subscription and no payment: expected sub_… or pay_…`);
}

async function reportOf(verdicts: AsyncGenerator<Verdict>): Promise<Report> {
  let actors = 0;
  let events = 0;
  const differences: Report['differences'][number][] = [];
  for await (const { rev, problem } of verdicts) {
    actors += 1;
    events += rev;
    if (problem) differences.push({ actor: problem.actorId, rev: problem.rev, problem: problem.message });
  }
  return { actors, events, differences };
}

function describe({ actors, events, differences }: Report): string {
  const seen = `${actors} actors, ${events} events`;
  if (differences.length === 0) return `${pc.green('No difference')}: ${seen}\n`;
  const lines = differences.map(({ problem }) => `  ${problem}`).join('\n');
  return `${pc.red(`${differences.length} of ${seen} differ from their journal`)}\n${lines}\n`;
}
