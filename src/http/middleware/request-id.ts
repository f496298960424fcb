import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';

const HEADER = 'X-Request-Id';

/** Gives every response its `X-Request-Id`, which the log uses too. A client's own header of that name is ignored. */
export const requestId: RequestHandler = (_request, response, next) => {
  response.setHeader(HEADER, newRequestId());
  next();
};

export function newRequestId(): string {
  return `req_${randomUUID()}`;
}

export function requestIdOf(response: ServerResponse): string {
  return String(response.getHeader(HEADER) ?? '');
}
