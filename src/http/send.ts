import type { ServerResponse } from 'node:http';

/** Answers with JSON; nothing that could be cached, guessed at or framed. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', bytes.length);
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.end(bytes);
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
