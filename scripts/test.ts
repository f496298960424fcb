import { runNode, runProgram } from './lib/run.ts';
import { runScript } from './lib/script.ts';

const usage = `
npm test
  Check everything (npm run check), build the pages, and run the short tests.

npm test -- FILE… [-t NAME]
  Only run these test files with Jest; or the tests with this part of a name.

npm test -- --long [FILE…]
  Build the pages, and run the long tests: the files *.long.test.ts. With TIDELINE_PROOF=full in their full size, and with the
  files *.full.test.ts, as in npm run prove -- all.

Other arguments are those of Jest. Exit codes: 0 all passed, 1 otherwise.
`;

async function main(argv: readonly string[]): Promise<number> {
  const args = argv.filter((arg) => arg !== '--long');
  if (args.length < argv.length) return (await buildPages()) || jest('--config', 'jest.long.config.js', ...args);
  if (args.length > 0) return jest(...args);
  return (await check()) || (await buildPages()) || jest('--config', 'jest.short.config.js');
}

function check(): Promise<number> {
  return runProgram('npm', 'run', '--silent', 'check');
}

function buildPages(): Promise<number> {
  return runNode('--import', 'tsx', 'scripts/build.ts', 'web');
}

/** tsx reads TypeScript for Jest and its workers. */
function jest(...args: readonly string[]): Promise<number> {
  return runNode('--import', 'tsx', 'node_modules/jest/bin/jest.js', ...args);
}

await runScript({ usage, main }, process.argv.slice(2));
