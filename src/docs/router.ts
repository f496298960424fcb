import type { ServerResponse } from 'node:http';
import express, { type Router } from 'express';
import { openApiDocument } from '../api/openapi/document.ts';
import { notFound } from '../errors/fault.ts';
import { sendPublicFile } from '../http/send.ts';
import type { BuiltPages } from '../pages/built-pages.ts';
import type { Pages } from '../pages/pages.ts';
import { sendShell } from '../pages/send.ts';
import { clientMethods } from './client-methods.ts';
import { readDocument } from './document.ts';
import { guideEntries, guidePage } from './guides.ts';
import { layout, sideGroup, TOOLS } from './layout.ts';
import { type Reference, reference } from './reference.ts';

/** For people: the reference at `/docs`, and the guides below it. `publicUrl` is that of the samples. */
export function docsRouter({ publicUrl }: { readonly publicUrl: string }, pages: Pages): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const referenceOf = once(async () => reference(readDocument(openApiDocument({ publicUrl })), await clientMethods()));
  router.get('/docs', async (request, response) => {
    const build = await pages.current();
    const body = build === null ? '' : referencePage(await referenceOf(), build);
    const title = 'Tideline API reference';
    await sendShell(response, pages, { name: 'docs', title, toRoot: '.', body, publicTo: request });
  });
  router.get('/docs/guides/:name', async (request, response) => {
    const build = await pages.current();
    const { name } = request.params;
    const picture = build?.pictures.get(name);
    if (picture !== undefined) sendPublicFile(request, response, picture);
    else await sendGuide(response, pages, name);
  });
  return router;
}

function referencePage({ side, main }: Reference, { guides }: BuiltPages): string {
  const guideGroup = sideGroup('Guides', guideEntries(guides, 'docs/guides/'));
  return layout({ home: 'docs', tools: TOOLS, side: [guideGroup, ...side], main });
}

async function sendGuide(response: ServerResponse, pages: Pages, name: string): Promise<void> {
  const guides = (await pages.current())?.guides ?? [];
  const guide = guides.find((one) => one.name === name);
  if (guide === undefined) throw notFound();
  const body = guidePage(guide, guides);
  await sendShell(response, pages, {
    name: 'docs',
    title: `${guide.title.replaceAll('`', '')}: Tideline`,
    toRoot: '../..',
    body,
  });
}

/** The work happens at the first call, and not before. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make();
    return made;
  };
}
