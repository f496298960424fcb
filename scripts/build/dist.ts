import { join } from 'node:path';
import { packageRoot } from '../../src/package/root.ts';
import { buildDist } from '../lib/build.ts';
import { scriptWith } from '../lib/script.ts';

const usage = `
npm run build -- dist [--out FOLDER]
  Bundle the service and the commands of operators into dist/, without checking their types.
    --out            another folder; what it contains is deleted

Exit codes: 0 done, 1 not done, 2 the arguments are wrong.
`;

export const dist = scriptWith({
  usage,
  options: { out: { type: 'string' } },
  run: async ({ out = join(packageRoot(), 'dist') }) => {
    await buildDist(out);
    return 0;
  },
});
