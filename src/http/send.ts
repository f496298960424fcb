import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** Answers with JSON, and forbids to cache, sniff or frame it. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  sendText(response, status, 'application/json; charset=utf-8', JSON.stringify(body));
}

/** Answers with CSV (RFC 4180), whose first line names the columns. */
export function sendCsv(response: ServerResponse, status: number, text: string): void {
  sendText(response, status, CSV, text);
}

export interface PdfFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Answers with a file that browsers show, or save under its name. */
export function sendPdf(response: ServerResponse, { name, bytes }: PdfFile): void {
  response.setHeader('Content-Type', 'application/pdf');
  response.setHeader('Content-Disposition', `inline; filename="${name}"`);
  response.setHeader('Content-Length', bytes.length);
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.end(bytes);
}

/** A reader of a long answer who takes nothing for so long has left, milliseconds. */
const STALLED_MS = 60_000;

/**
 * Answers 200 with CSV in parts, each made when the reader has taken those before it. Throws what the first part
 * throws. A later error breaks the connection off, so that nobody takes a part for the whole.
 */
export async function sendCsvParts(response: ServerResponse, parts: AsyncIterable<string>): Promise<void> {
  const iterator = parts[Symbol.asyncIterator]();
  const first = await iterator.next();
  response.setHeader('Content-Type', CSV);
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  if (first.done === true || response.req.method === 'HEAD') {
    response.end();
    await iterator.return?.();
    return;
  }
  response.setTimeout(STALLED_MS, () => response.destroy());
  async function* all() {
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  await pipeline(Readable.from(all()), response).catch((error: unknown) => {
    if (!hasLeft(error)) throw error;
  });
}

function hasLeft(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}

const CSV = 'text/csv; charset=utf-8; header=present';

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
  /** The same bytes compressed, by content coding, the smallest first. */
  readonly compressed: ReadonlyMap<string, Buffer>;
}

/** A file with the tag of its bytes. */
export function publicFile(contentType: string, bytes: Buffer, compressed = new Map<string, Buffer>()): PublicFile {
  return { contentType, bytes, compressed, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
}

/**
 * The coding that the client weights most (RFC 9110, section 12.5.3), of equals the first. Express would take the one
 * that the header names first, and browsers name gzip before the smaller brotli.
 */
function preferredCoding(header: string, codings: Iterable<string>): string {
  const named = header.toLowerCase().matchAll(/([^\s,;]+)(?:\s*;\s*q=([\d.]+))?/g);
  const weights = new Map([...named].map(([, coding, weight = 1]) => [coding, Number(weight)]));
  const weightOf = (coding: string) => weights.get(coding) ?? weights.get('*') ?? 0;
  const accepted = [...codings, 'identity'].filter((coding) => weightOf(coding) > 0);
  return accepted.sort((a, b) => weightOf(b) - weightOf(a))[0] ?? 'identity';
}

const FIVE_MINUTES = 'public, max-age=300';

/**
 * Answers with a file that may be cached, by default for five minutes; 304 while it is unchanged. It is compressed if
 * the client takes that: a file tells nothing by its length, unlike an answer with a secret beside what somebody else
 * has chosen (BREACH). A range is answered by the whole file.
 */
export function sendPublicFile(
  request: IncomingMessage,
  response: ServerResponse,
  file: PublicFile,
  cacheControl = FIVE_MINUTES,
): void {
  const coding = preferredCoding(String(request.headers['accept-encoding'] ?? ''), file.compressed.keys());
  const bytes = file.compressed.get(coding) ?? file.bytes;
  const etag = bytes === file.bytes ? file.etag : `"${coding}-${file.etag.slice(1)}`;
  response.setHeader('Cache-Control', cacheControl);
  response.setHeader('ETag', etag);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  if (file.compressed.size > 0) response.setHeader('Vary', 'Accept-Encoding');
  // A proxy that compresses makes the tag weak.
  if (request.headers['if-none-match']?.match(/"[^"]*"|^\*$/g)?.some((tag) => tag === etag || tag === '*')) {
    response.statusCode = 304;
    response.end();
    return;
  }
  response.statusCode = 200;
  response.setHeader('Content-Type', file.contentType);
  response.setHeader('Content-Length', bytes.length);
  if (bytes !== file.bytes) response.setHeader('Content-Encoding', coding);
  response.end(bytes);
}

/**
 * Answers with a page that may load and do only what `contentSecurityPolicy` allows. `publicTo`: the request, if the
 * page is the same for everybody and has no secret. It is sent as a file then, compressed.
 */
export function sendPage(
  response: ServerResponse,
  status: number,
  html: string,
  contentSecurityPolicy: string,
  publicTo?: IncomingMessage,
): void {
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('Content-Security-Policy', contentSecurityPolicy);
  if (publicTo !== undefined) {
    sendPublicFile(publicTo, response, compressedPage(html), 'no-cache');
    return;
  }
  const bytes = Buffer.from(html);
  response.statusCode = status;
  response.setHeader('Content-Type', HTML);
  response.setHeader('Content-Length', bytes.length);
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.end(bytes);
}

const HTML = 'text/html; charset=utf-8';

/** The newest pages by their text: as many as a reader goes through, and not those of earlier builds. */
const compressed = new Map<string, PublicFile>();
const KEPT = 64;

function compressedPage(html: string): PublicFile {
  const file = compressed.get(html) ?? compressedFile(HTML, Buffer.from(html));
  compressed.delete(html);
  compressed.set(html, file);
  for (const oldest of [...compressed.keys()].slice(0, -KEPT)) compressed.delete(oldest);
  return file;
}

/** A file in all codings, compressed once as well as some milliseconds allow: longer, other requests would wait. */
export function compressedFile(contentType: string, bytes: Buffer): PublicFile {
  const br = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } });
  const gzip = gzipSync(bytes);
  return publicFile(
    contentType,
    bytes,
    new Map([
      ['br', br],
      ['gzip', gzip],
    ]),
  );
}
