import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Answers with JSON, and forbids to cache, sniff or frame it. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  sendText(response, status, 'application/json; charset=utf-8', JSON.stringify(body));
}

/** Answers with CSV (RFC 4180), whose first line names the columns. */
export function sendCsv(response: ServerResponse, status: number, text: string): void {
  sendText(response, status, 'text/csv; charset=utf-8; header=present', text);
}

function sendText(response: ServerResponse, status: number, contentType: string, text: string): void {
  response.statusCode = status;
  response.setHeader('Content-Type', contentType);
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  // Text goes out in one piece with the headers; a buffer would be a second piece.
  response.end(text);
}

/** Bytes that are the same for everybody until the process ends. */
export interface PublicFile {
  readonly contentType: string;
  readonly bytes: Buffer;
  /** A strong entity tag, quotes included. */
  readonly etag: string;
}

/** A file with the tag of its bytes. */
export function publicFile(contentType: string, bytes: Buffer): PublicFile {
  return { contentType, bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
}

const FIVE_MINUTES = 'public, max-age=300';

/** Answers with a file that may be cached, by default for five minutes; 304 while it is unchanged. */
export function sendPublicFile(
  request: IncomingMessage,
  response: ServerResponse,
  file: PublicFile,
  cacheControl = FIVE_MINUTES,
): void {
  response.setHeader('Cache-Control', cacheControl);
  response.setHeader('ETag', file.etag);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  if (request.headers['if-none-match'] === file.etag) {
    response.statusCode = 304;
    response.end();
    return;
  }
  response.statusCode = 200;
  response.setHeader('Content-Type', file.contentType);
  response.setHeader('Content-Length', file.bytes.length);
  response.end(file.bytes);
}

/** Answers with a page that may load and do only what `contentSecurityPolicy` allows. */
export function sendPage(response: ServerResponse, status: number, html: string, contentSecurityPolicy: string): void {
  const bytes = Buffer.from(html);
  response.statusCode = status;
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.setHeader('Content-Length', bytes.length);
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('Content-Security-Policy', contentSecurityPolicy);
  response.end(bytes);
}
