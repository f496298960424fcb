import { join } from 'node:path';
import { packageRoot } from '../../src/package/root.ts';
import { readArguments, requireNothing } from '../lib/arguments.ts';
import { buildDist } from '../lib/build.ts';
import type { Script } from '../lib/script.ts';

const usage = `
npm run build -- dist [--out FOLDER]
  Bundle the service and the commands of operators into dist/, without checking their types.
    --out            another folder; what it contains is deleted

Exit codes: 0 done, 1 not done, 2 the arguments are wrong.
`;

async function main(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArguments(argv, { out: { type: 'string' } });
  requireNothing(positionals);
  await buildDist(values.out ?? join(packageRoot(), 'dist'));
  return 0;
}

export const dist: Script = { usage, main };
