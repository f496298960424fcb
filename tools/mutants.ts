import { fileURLToPath } from 'node:url';
import { readArguments, type Script } from '../scripts/lib/script.ts';
import { runTool } from './lib/run-tool.ts';
import { chosen, readMutants } from './mutants/mutant.ts';
import { runMutants } from './mutants/run.ts';
import { showHead, showJudged, showSum } from './mutants/show.ts';

const usage = `
npm run prove -- mutants [NAME…]
  Test the tests: apply the deliberate bugs of test/mutants/ to temporary copies of the repository, one after another, and
  run the tests that must notice each. The working tree does not change.
    NAME      only these bugs, such as redirects-followed

Exit codes: 0 all caught, 1 one survived, could not be judged or does not apply, 2 the arguments are wrong.
`;

const ROOT = fileURLToPath(new URL('..', import.meta.url));

async function main(argv: readonly string[]): Promise<number> {
  const { positionals } = readArguments(argv, {});
  const mutants = chosen(await readMutants(ROOT), positionals);
  return runTool(async ({ terminal, signal }) => {
    showHead(mutants.length, terminal);
    const onJudged = (each: Parameters<typeof showJudged>[0]) => showJudged(each, terminal);
    const judged = await runMutants({ root: ROOT, mutants, terminal, signal, onJudged });
    showSum(judged, terminal);
    return judged.every(({ verdict }) => verdict.kind === 'caught') ? 0 : 1;
  });
}

export const mutants: Script = { usage, main };
