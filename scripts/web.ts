import { pagesPaths } from '../src/pages/paths.ts';
import { readArguments, requireNothing } from './lib/arguments.ts';
import { runScript } from './lib/script.ts';
import { buildWeb } from './web/build.ts';

const usage = `
npm run web
  Build the pages of web/ into dist/web, unless the current sources are built already.

Exit codes: 0 done, 1 not done, 2 the arguments are wrong.
`;

async function main(argv: readonly string[]): Promise<number> {
  requireNothing(readArguments(argv, {}).positionals);
  const { root, builds } = pagesPaths();
  const built = await buildWeb(root, builds);
  if (process.stdout.isTTY) process.stdout.write(`${built.isNew ? 'built' : 'up to date'}: dist/web/${built.id}\n`);
  return 0;
}

await runScript({ usage, main }, process.argv.slice(2));
