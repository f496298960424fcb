import { pagesPaths } from '../../src/pages/paths.ts';
import { scriptWith } from '../lib/arguments.ts';
import { buildWeb } from './web/build.ts';

const usage = `
npm run build -- web
  Build the pages of web/ into dist/web, unless the current sources are built already.

Exit codes: 0 done, 1 not done, 2 the arguments are wrong.
`;

export const web = scriptWith({
  usage,
  options: {},
  run: async () => {
    const { root, builds } = pagesPaths();
    const built = await buildWeb(root, builds);
    if (process.stdout.isTTY) process.stdout.write(`${built.isNew ? 'built' : 'up to date'}: dist/web/${built.id}\n`);
    return 0;
  },
});
