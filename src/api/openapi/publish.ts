import type { RequestHandler } from 'express';
import { publicFile, sendPublicFile } from '../../http/send.ts';
import { openApiDocument } from './document.ts';

/** `GET /openapi.json`: public and unmetered (reference, section 8). Built once, when the service starts. */
export function publishedDocument(config: { readonly publicUrl: string }): RequestHandler {
  const bytes = Buffer.from(JSON.stringify(openApiDocument(config)));
  const file = publicFile('application/json; charset=utf-8', bytes);
  return (request, response) => sendPublicFile(request, response, file);
}
