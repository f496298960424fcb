import type { RequestHandler } from 'express';
import { notFound } from '../errors/fault.ts';
import { publicFile, sendPublicFile } from '../http/send.ts';
import type { RecordStore } from '../store/port.ts';
import type { Pages } from './pages.ts';

const FOR_EVER = 'public, max-age=31536000, immutable';

/** Files below `/assets/`. Their names contain a hash of their content, so they may be cached forever. */
export function assetFile(pages: Pages): RequestHandler<{ name: string }> {
  return async (request, response) => {
    const file = await pages.asset(request.params.name);
    if (file === null) throw notFound();
    sendPublicFile(request, response, file, FOR_EVER);
  };
}

/** `/embed.js`: any page may load it, and asks again after five minutes. */
export function embedScript(pages: Pages): RequestHandler {
  return async (request, response) => {
    const build = await pages.current();
    if (build === null) throw notFound();
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    sendPublicFile(request, response, build.embed);
  };
}

/**
 * `/logos/{logoId}`: the file of a merchant's logo. An id is never used again, so it may be cached forever; once
 * replaced it is a 404.
 */
export function logoFile(records: RecordStore): RequestHandler<{ logoId: string }> {
  return async (request, response) => {
    const [logo] = await records.get('logos', [request.params.logoId]);
    if (logo === undefined) throw notFound();
    sendPublicFile(request, response, publicFile(logo.type, Buffer.from(logo.base64, 'base64')), FOR_EVER);
  };
}
