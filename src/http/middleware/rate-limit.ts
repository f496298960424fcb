import type { Request, RequestHandler } from 'express';
import { limitExceeded } from '../../errors/fault.ts';
import { dayOf, minuteOf, type WindowCounters } from '../../store/windows.ts';
import type { Caller } from '../endpoint.ts';
import { FAILED_AUTHENTICATIONS_PER_MINUTE, type LimitRow, VISITOR_CALLS_PER_MINUTE } from '../limits.ts';
import { methodOf } from '../router.ts';
import { clientOf } from './client-address.ts';

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
