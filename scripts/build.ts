import { join } from 'node:path';
import { packageRoot } from '../src/package/root.ts';
import { readArguments, requireNothing } from './lib/arguments.ts';
import { buildDist } from './lib/build.ts';
import { runScript } from './lib/script.ts';

const usage = `
npm run build
  Check the types, bundle the service and the commands of operators into dist/, and build the pages into dist/web.

tsx scripts/build.ts --out FOLDER
  Only bundle, into another folder. What it contains is deleted.

Exit codes: 0 done, 1 not done, 2 the arguments are wrong.
`;

async function main(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArguments(argv, { out: { type: 'string' } });
  requireNothing(positionals);
  await buildDist(values.out ?? join(packageRoot(), 'dist'));
  return 0;
}

await runScript({ usage, main }, process.argv.slice(2));
