import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Script } from '../scripts/lib/script.ts';
import { stopAfter } from '../stage/temporary-devnet.ts';
import { readFuzzArguments } from './fuzz/options.ts';
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
      const options = {
        seed,
        clients: CLIENTS,
        runs: null,
        ms: minutes * MINUTE_MS,
        deadlines: DEADLINES,
        only: null,
        signal,
      };
      const outcome = await send(world, options, ({ requests, perSecond }) => {
        if (requests - shown < 2_000) return;
        shown = requests;
        terminal.line(terminal.colors.dim(`   ${requests} requests, ${perSecond.toFixed(0)} a second`));
      });
      hide();
      showOutcome(outcome, terminal, keptFile);
      return outcome.findings.length === 0 ? 0 : 1;
    }),
  );
}

function keptFile(bytes: Buffer): string {
  const file = join(mkdtempSync(join(tmpdir(), 'tideline-fuzz-request-')), 'request.bin');
  writeFileSync(file, bytes);
  return file;
}

export const fuzz: Script = { usage, main };
