import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publicFile, sendPage, sendPublicFile } from '../../../src/http/send.ts';
import { contentSecurityPolicy } from '../../../src/pages/policy.ts';
import { shellPage } from '../../../src/pages/shell.ts';
import { freePort } from '../../lib/free-port.ts';
import { bundleGallery } from './bundle.ts';

export interface Gallery {
  readonly url: string;
  close(): Promise<void>;
}

const ENTRY = { script: 'gallery.js', styles: ['gallery.css'], preloads: [] } as const;

/** Builds the gallery of `web/ui/` and serves it to this machine alone, under the policy of the pages. */
export async function serveGallery(root: string): Promise<Gallery> {
  const files = await builtFiles(join(root, 'web'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  // The page frames itself, so that the specimens have a screen of their own.
  const policy = `${contentSecurityPolicy({ framedBy: "'self'" })}; frame-src 'self'`;
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', url);
    const file = files.get(pathname);
    if (file !== undefined) return sendPublicFile(request, response, file, 'no-store');
    const isPage = pathname === '/';
    sendPage(
      response,
      isPage ? 200 : 404,
      isPage ? shellPage({ title: 'Gallery', entry: ENTRY, toRoot: '.' }) : '',
      policy,
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  return { url, close: () => closed(server) };
}

async function builtFiles(web: string) {
  const folder = await mkdtemp(join(tmpdir(), 'tideline-gallery-'));
  try {
    await bundleGallery(web, folder);
    const read = (name: string) => readFile(join(folder, 'assets', name));
    return new Map([
      ['/assets/gallery.js', publicFile('text/javascript; charset=utf-8', await read('gallery.js'))],
      ['/assets/gallery.css', publicFile('text/css; charset=utf-8', await read('gallery.css'))],
    ]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
