import type { ServerResponse } from 'node:http';
import type { Request, RequestHandler } from 'express';
import { Fault } from '../../errors/fault.ts';
import type { Caller } from '../endpoint.ts';
import type { LimitRow } from '../limits.ts';
import { methodOf } from '../router.ts';
import { clientAddress } from './client-address.ts';
import { dayOf, minuteOf, type Window, type WindowCounters } from './windows.ts';

interface Exhausted {
  readonly limit: number;
  readonly window: Window;
  readonly isDay: boolean;
}

/**
 * Counts a call of a merchant on one (endpoint, method) in both windows, also a refused one. Throws 429 with the
 * headers of the reference, section 8, when one is exhausted. If both are, it reports the day.
 */
export async function limitMerchant(
  counters: WindowCounters,
  response: ServerResponse,
  call: { readonly caller: Caller; readonly bucket: string; readonly limits: LimitRow; readonly now: Date },
): Promise<void> {
  const { merchantId, mode, merchant } = call.caller;
  const quota = call.limits[mode];
  const subject = `${merchantId}/${mode}/${call.bucket}`;
  const day = { limit: quota.day * merchant.limitFactor, window: dayOf(call.now), isDay: true };
  const minute = { limit: quota.minute * merchant.limitFactor, window: minuteOf(call.now), isDay: false };
  const { ofDay, ofMinute } = await counters.raiseDaily(subject, call.now);
  if (ofDay > day.limit) throw refuse(response, day, call.now);
  if (ofMinute > minute.limit) throw refuse(response, minute, call.now);
}

/** Counts one request of an address for a purpose. Throws 429, with the same headers, above `perMinute`. */
export async function limitAddress(
  counters: WindowCounters,
  response: ServerResponse,
  call: { readonly purpose: string; readonly address: string; readonly perMinute: number; readonly now: Date },
): Promise<void> {
  const window = minuteOf(call.now);
  const count = await counters.raise(`ip/${call.purpose}/${call.address}`, window);
  if (count > call.perMinute) throw refuse(response, { limit: call.perMinute, window, isDay: false }, call.now);
}

/** `limitAddress` for the API of pages: what a visitor reads and what a visitor changes count apart. */
export async function limitVisitor(
  counters: WindowCounters,
  request: Request,
  response: ServerResponse,
  call: {
    readonly api: string;
    readonly perMinute: { readonly read: number; readonly write: number };
    readonly now: Date;
  },
): Promise<void> {
  const what = methodOf(request) === 'GET' ? 'read' : 'write';
  await limitAddress(counters, response, {
    purpose: `${call.api}-${what}`,
    address: clientAddress(request.ip),
    perMinute: call.perMinute[what],
    now: call.now,
  });
}

/**
 * Counts one more of `subject` in the day of `now`. Throws 429 above `perDay`, with the same headers, and says `what`
 * is limited.
 */
export async function limitDay(
  counters: WindowCounters,
  response: ServerResponse,
  call: { readonly subject: string; readonly perDay: number; readonly what: string; readonly now: Date },
): Promise<void> {
  const window = dayOf(call.now);
  const count = await counters.raise(call.subject, window);
  if (count <= call.perDay) return;
  throw refuse(response, { limit: call.perDay, window, isDay: true }, call.now, `Rate limit exceeded: ${call.what}`);
}

/** `limitAddress` for public resources. */
export function perAddress(
  counters: WindowCounters,
  clock: () => Date,
  { purpose, perMinute }: { readonly purpose: string; readonly perMinute: number },
): RequestHandler {
  return async (request, response, next) => {
    await limitAddress(counters, response, { purpose, address: clientAddress(request.ip), perMinute, now: clock() });
    next();
  };
}

function refuse(
  response: ServerResponse,
  { limit, window, isDay }: Exhausted,
  now: Date,
  message = 'Rate limit exceeded',
): Fault {
  const waitMs = window.resetAt.getTime() - now.getTime();
  response.setHeader('Retry-After', String(Math.max(1, Math.ceil(waitMs / 1000))));
  response.setHeader('X-RateLimit-Limit', String(limit));
  response.setHeader('X-RateLimit-Remaining', '0');
  response.setHeader('X-RateLimit-Reset', String(window.resetAt.getTime() / 1000));
  if (isDay) response.setHeader('X-RateLimit-Scope', 'day');
  return new Fault('limit_exceeded', message);
}
