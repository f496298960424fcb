import { pagesPaths } from '../src/pages/paths.ts';
import { buildWeb } from './web/build.ts';

// Builds the front ends of `web/` into `dist/web`, unless the current sources are built already.
const { root, builds } = pagesPaths();
const built = await buildWeb(root, builds);
if (process.stdout.isTTY) process.stdout.write(`${built.isNew ? 'built' : 'up to date'}: dist/web/${built.id}\n`);
