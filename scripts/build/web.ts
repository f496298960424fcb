import { pagesPaths } from '../../src/pages/paths.ts';
import { scriptWith } from '../lib/arguments.ts';
import { buildWeb } from './web/build.ts';
import { serveGallery } from './web/gallery.ts';

const usage = `
npm run build -- web
  Build the pages of web/ into dist/web, unless the current sources are built already.

npm run build -- web --gallery
  Serve a page with every component of web/ui/ in every state, to this machine, until Ctrl-C. It writes nothing into dist/web.

Exit codes: 0 done, 1 not done, 2 the arguments are wrong.
`;

export const web = scriptWith({
  usage,
  options: { gallery: { type: 'boolean' } },
  run: async ({ gallery = false }) => {
    const { root, builds } = pagesPaths();
    if (gallery) return showGallery(root);
    const built = await buildWeb(root, builds);
    if (process.stdout.isTTY) process.stdout.write(`${built.isNew ? 'built' : 'up to date'}: dist/web/${built.id}\n`);
    return 0;
  },
});

async function showGallery(root: string): Promise<number> {
  const stopped = new Promise<void>((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
  const gallery = await serveGallery(root);
  process.stdout.write(`the gallery of web/ui is at ${gallery.url}; Ctrl-C ends it\n`);
  await stopped;
  await gallery.close();
  return 0;
}
