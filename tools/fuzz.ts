import { randomInt } from 'node:crypto';
import { integerOf, readArguments, requireNothing, type Script, UsageError } from '../scripts/lib/script.ts';
import { stopAfter } from '../stage/temporary-devnet.ts';
import { openRealWorld } from './fuzz/real-world.ts';
import { fuzz as send } from './fuzz/run.ts';
import { showOutcome } from './fuzz/show.ts';
import { runTool } from './lib/run-tool.ts';

const usage = `
npm run prove -- fuzz [--minutes N] [--seed S]
  Send a whole service in a temporary folder requests that its published document allows, and many that it does not,
  and compare every answer with the document: no failure, no undocumented status or body, nothing of another merchant or
  environment, no change of the process. Loopback only. A finding is made as small as possible and shown as a
  curl line.
    --minutes    how long (default 1)
    --seed       seed of the random choices, an integer; by default random and shown

Exit codes: 0 no violation, 1 violations, 2 the arguments are wrong.
`;

const MINUTE_MS = 60_000;
const MINUTES_MAX = 10_000;
const SEED_MAX = 0x7fff_ffff;
/** How many merchants send requests at the same time. */
const CLIENTS = 4;
/** A call may wait 25 s for the result of a charge. */
const DEADLINES = { waiting: 35_000, other: 10_000 } as const;

function main(argv: readonly string[]): Promise<number> {
  const { minutes, seed } = readFuzzArguments(argv);
  return runTool(async ({ terminal, signal }) =>
    stopAfter(await openRealWorld(), async (world) => {
      const hide = terminal.busy(`asking, seed ${seed}`);
      let shown = 0;
      const limits = { clients: CLIENTS, runs: null, ms: minutes * MINUTE_MS, deadlines: DEADLINES, only: null };
      const outcome = await send(world, { ...limits, seed, signal }, ({ requests }) => {
        if (requests - shown < 2_000) return;
        shown = requests;
        terminal.line(terminal.colors.dim(`   ${requests} requests`));
      });
      hide();
      showOutcome(outcome, seed, terminal);
      return outcome.findings.length === 0 ? 0 : 1;
    }),
  );
}

/** The arguments of `npm run prove -- fuzz`. Throws a UsageError for wrong ones. */
export function readFuzzArguments(argv: readonly string[]): { readonly minutes: number; readonly seed: number } {
  const { values, positionals } = readArguments(argv, {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string' },
  });
  requireNothing(positionals);
  const minutes = /^\d{1,5}(\.\d{1,3})?$/.test(values.minutes) ? Number(values.minutes) : Number.NaN;
  if (!(minutes > 0 && minutes <= MINUTES_MAX)) {
    throw new UsageError(`--minutes ${values.minutes}: expected a number above 0, up to ${MINUTES_MAX}`);
  }
  return {
    minutes,
    seed: values.seed === undefined ? randomInt(SEED_MAX) : integerOf('--seed', values.seed, 0, SEED_MAX),
  };
}

export const fuzz: Script = { usage, main };
