import type { RequestHandler } from 'express';
import { notFound } from '../errors/fault.ts';
import { publicFile, sendPublicFile } from '../http/send.ts';
import type { RecordStore } from '../store/port.ts';
import { FOR_EVER } from './assets.ts';

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
