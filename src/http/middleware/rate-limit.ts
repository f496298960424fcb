import type { Request, RequestHandler } from 'express';
import { limitExceeded } from '../../errors/fault.ts';
import type { Mode } from '../../store/documents.ts';
import { dayOf, minuteOf, type WindowCounters } from '../../store/windows.ts';
import type { Caller } from '../endpoint.ts';
import { methodOf } from '../router.ts';
import { clientOf } from './client-address.ts';

export interface Quota {
  readonly day: number;
  readonly minute: number;
}

/** The limit of calls per merchant to one (endpoint, method), before its `limitFactor`. */
export type LimitRow = { readonly [M in Mode]: Quota };

function row(liveDay: number, liveMinute: number, testDay: number, testMinute: number): LimitRow {
  return { live: { day: liveDay, minute: liveMinute }, test: { day: testDay, minute: testMinute } };
}

/** The rows of the reference, section 8: production per day and minute, sandbox per day and minute. */
export const LIMITS = {
  byId: row(60_000, 240, 20_000, 120),
  list: row(30_000, 120, 10_000, 60),
  write: row(15_000, 60, 5_000, 30),
  batch: row(5_000, 20, 2_000, 10),
  secret: row(5_000, 60, 2_000, 30),
  rotate: row(200, 10, 200, 10),
  /** Not in the reference: a merchant that counts by itself sends up to 100 records in a call. */
  usage: row(500_000, 1_200, 20_000, 120),
  sandbox: row(0, 0, 2_000, 30),
} as const;

/** Requests of one address that fail to authenticate, per minute (docs/rules.md, "Limits"). */
export const FAILED_AUTHENTICATIONS_PER_MINUTE = 300;

/** Calls of one address to the API of checkout, portal or dashboard, per minute: `write` also for sign-ins. */
const VISITOR_CALLS_PER_MINUTE = { read: 600, write: 120 } as const;

/** New sessions of one-time payments per day: of a wallet that signs, or of an IP address that pays by transfer. */
export const PAYMENT_SESSIONS_PER_DAY = 100;

/** Requests of one address per minute: of pages, `/embed.js`, and files. A page loads several files. */
export const PUBLIC_PER_MINUTE = { checkout: 120, portal: 120, dashboard: 120, embed: 120, asset: 1_200 } as const;

/**
 * Counts a call of a merchant on one (endpoint, method) in both windows, also a refused one. Throws 429 with the
 * headers of the reference, section 8, when one is exhausted. If both are, it reports the day.
 */
export async function limitMerchant(
  counters: WindowCounters,
  call: { readonly caller: Caller; readonly bucket: string; readonly limits: LimitRow; readonly now: Date },
): Promise<void> {
  const { merchantId, mode, merchant } = call.caller;
  const quota = call.limits[mode];
  const subject = `${merchantId}/${mode}/${call.bucket}`;
  const day = { ...dayOf(call.now), limit: quota.day * merchant.limitFactor, isDay: true };
  const minute = { ...minuteOf(call.now), limit: quota.minute * merchant.limitFactor, isDay: false };
  const { ofDay, ofMinute } = await counters.raiseDaily(subject, call.now);
  if (ofDay > day.limit) throw limitExceeded(day, call.now);
  if (ofMinute > minute.limit) throw limitExceeded(minute, call.now);
}

/** Counts one request of an address for a purpose. Throws 429, with the same headers, above `perMinute`. */
async function limitAddress(
  counters: WindowCounters,
  request: Request,
  { purpose, perMinute, now }: { readonly purpose: string; readonly perMinute: number; readonly now: Date },
): Promise<void> {
  const window = minuteOf(now);
  const { address, limitFactor } = clientOf(request);
  const limit = perMinute * limitFactor;
  const count = await counters.raise(`ip/${purpose}/${address}`, window);
  if (count > limit) throw limitExceeded({ ...window, limit, isDay: false }, now);
}

/** Counts a failed authentication of an address. Throws 429 above the limit (docs/rules.md, "Limits"). */
export function limitFailures(counters: WindowCounters, request: Request, purpose: string, now: Date): Promise<void> {
  return limitAddress(counters, request, { purpose, perMinute: FAILED_AUTHENTICATIONS_PER_MINUTE, now });
}

/** Counts a call of the API of pages: what a visitor reads and what a visitor changes count apart. */
export function limitVisitor(counters: WindowCounters, request: Request, api: string, now: Date): Promise<void> {
  const what = methodOf(request) === 'GET' ? 'read' : 'write';
  return limitAddress(counters, request, { purpose: `${api}-${what}`, perMinute: VISITOR_CALLS_PER_MINUTE[what], now });
}

/** Counts the requests of an address for public resources. */
export function perAddress(
  counters: WindowCounters,
  clock: () => Date,
  { purpose, perMinute }: { readonly purpose: string; readonly perMinute: number },
): RequestHandler {
  return async (request, _response, next) => {
    await limitAddress(counters, request, { purpose, perMinute, now: clock() });
    next();
  };
}
