import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import express, { type Router } from 'express';
import { type PublicFile, publicFile, sendPage, sendPublicFile } from '../../http/send.ts';
import { CONTENT_SECURITY_POLICY, PAGE, SCRIPT, STYLE } from './page.ts';

/** The renderer from its npm package; the page loads nothing from another origin. */
const RENDERER = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** Every file below /docs with its bytes. Any other name is a 404. */
const FILES: { readonly [name: string]: () => Promise<PublicFile> } = {
  'page.css': own('text/css; charset=utf-8', STYLE),
  'page.js': own('text/javascript; charset=utf-8', SCRIPT),
  'renderer.css': installed('text/css; charset=utf-8', 'swagger-ui.css'),
  'renderer.js': installed('text/javascript; charset=utf-8', 'swagger-ui-bundle.js'),
  'favicon.png': installed('image/png', 'favicon-32x32.png'),
};

/** The readable reference: `/docs` and the files of that page, and `/`, which leads there. It shows `/openapi.json`. */
export function docsRouter(): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  // People who open the address of the service. Relative, because a proxy may serve it below a path.
  router.get('/', (_request, response) => response.redirect(302, 'docs'));
  router.get('/docs', (_request, response) => sendPage(response, 200, PAGE, CONTENT_SECURITY_POLICY));
  for (const [name, file] of Object.entries(FILES)) {
    router.get(`/docs/${name}`, async (request, response) => sendPublicFile(request, response, await file()));
  }
  return router;
}

function own(contentType: string, text: string): () => Promise<PublicFile> {
  const file = publicFile(contentType, Buffer.from(text));
  return async () => file;
}

/** Read at the first request, and cached. */
function installed(contentType: string, name: string): () => Promise<PublicFile> {
  let read: Promise<PublicFile> | null = null;
  return async () => {
    read ??= readFile(join(RENDERER, name)).then((bytes) => publicFile(contentType, bytes));
    return read;
  };
}
