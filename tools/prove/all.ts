import { performance } from 'node:perf_hooks';
import { runNode } from '../../scripts/lib/run.ts';
import { scriptWith } from '../../scripts/lib/script.ts';
import { table } from '../../scripts/lib/terminal.ts';
import { machine } from '../bench/page.ts';

const usage = `
npm run prove -- all
  Run everything at its full size, one after another: the long tests, 2,000 simulated seeds, every fault point, 200 kills,
  elections, the fuzzer, the contracts and all deliberate bugs. It takes hours, and goes on after a failure. The table at the end is for
  docs/proof.md.

Exit codes: 0 all hold, 1 one does not, 2 the arguments are wrong.
`;

/** The arguments of Node for each run. */
const RUNS: readonly (readonly string[])[] = [
  ['scripts/test.ts', '--long'],
  ['tools/prove.ts', 'simulate', '--seeds', '2000'],
  ['tools/prove.ts', 'crash', '--full'],
  ['tools/prove.ts', 'crash', '--kills', '200'],
  ['tools/prove.ts', 'elections'],
  ['tools/prove.ts', 'fuzz', '--minutes', '10'],
  ['tools/prove.ts', 'contracts'],
  ['tools/prove.ts', 'mutants'],
];

async function runAll(): Promise<number> {
  const rows: string[][] = [];
  for (const [index, args] of RUNS.entries()) {
    const [program, ...flags] = args;
    const command = `${program === 'scripts/test.ts' ? 'npm test' : 'npm run prove'} -- ${flags.join(' ')}`;
    process.stdout.write(`\n[${index + 1} of ${RUNS.length}] ${command}\n`);
    const began = performance.now();
    const code = await runNode('--import', 'tsx', ...args).catch(() => 1);
    rows.push([command, code === 0 ? 'holds' : 'FAILED', `${Math.round((performance.now() - began) / 1_000)} s`]);
  }
  const origin = `${new Date().toISOString().slice(0, 10)}, ${await machine()}`;
  process.stdout.write(`\n${origin}\n${table(['command', 'result', 'time'], rows)}\n`);
  return rows.every(([, result]) => result === 'holds') ? 0 : 1;
}

export const all = scriptWith({ usage, options: {}, run: runAll });
