import type { RequestHandler } from 'express';
import { publicFile, sendPublicFile } from '../../http/send.ts';
import { openApiDocument } from './document.ts';

/**
 * `GET /openapi.json`: public and unmetered (reference, section 8). Built once, at the first request: at the start of
 * the service it was one fifteenth of the processor time.
 */
export function publishedDocument(config: { readonly publicUrl: string }): RequestHandler {
  let file: ReturnType<typeof publicFile> | null = null;
  return (request, response) => {
    file ??= publicFile('application/json; charset=utf-8', Buffer.from(JSON.stringify(openApiDocument(config))));
    sendPublicFile(request, response, file);
  };
}
