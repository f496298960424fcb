import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { integerOf, scriptWith } from '../scripts/lib/script.ts';
import { table } from '../scripts/lib/terminal.ts';
import { packageRoot } from '../src/package/root.ts';
import { answeredIn, findingsIn } from './contracts/findings.ts';
import { type Check, findings, isInstalled, properties, rules, runCheck } from './contracts/programs.ts';
import { runTool } from './lib/run-tool.ts';

const usage = `
npm run prove -- contracts [--runs N]
  Prove the contracts: Foundry tries sequences of calls that may break a property, Halmos proves the rules of mandates
  for all inputs, and Slither finds known mistakes. docs/security-review.md lists what they prove.
  A program that is not installed is skipped, and the table says so.
    --runs    how often Foundry begins anew, each time with 100 calls (default 10000)

Exit codes: 0 all hold, 1 one does not, 2 the arguments are wrong.
`;

const RUNS = '10000';
const RUNS_MAX = 10_000_000;

export const contracts = scriptWith({
  usage,
  options: { runs: { type: 'string', default: RUNS } },
  run: async (flags) => {
    const runs = integerOf('--runs', flags.runs, 1, RUNS_MAX);
    return runTool(async ({ terminal, signal }) => {
      const rows: string[][] = [];
      for (const check of [properties(runs), rules, findings]) {
        signal.throwIfAborted();
        const began = performance.now();
        const result = isInstalled(check) ? await resultOf(check, signal) : 'SKIPPED';
        rows.push([check.program, result, `${Math.round((performance.now() - began) / 1_000)} s`]);
      }
      terminal.line(table(['program', 'result', 'time'], rows));
      return rows.some(([, result]) => result === 'FAILED') ? 1 : 0;
    });
  },
});

async function resultOf(check: Check, signal: AbortSignal): Promise<string> {
  if (check !== findings) return (await runCheck(check, { isShown: true, signal })).code === 0 ? 'holds' : 'FAILED';
  const { output } = await runCheck(check, { isShown: false, signal });
  const answered = answeredIn(readFileSync(join(packageRoot(), 'docs', 'security-review.md'), 'utf8'));
  const open = findingsIn(output).filter((finding) => !answered.includes(finding));
  for (const finding of open) process.stdout.write(`Not answered in docs/security-review.md: ${finding}\n`);
  return open.length === 0 ? 'holds' : 'FAILED';
}
