import type { Request, Response } from 'express';
import type { HttpDeps } from '../http/deps.ts';
import type { WindowCounters } from '../http/middleware/windows.ts';
import { secretHash } from '../model/secrets.ts';
import { bearerIn, visitorOf } from './access/admit.ts';
import { isSameHash } from './access/tokens.ts';

/** True for `METRICS_TOKEN` and for staff. Throws 429 for an address that has failed too often. */
export async function isMonitor(
  deps: HttpDeps,
  counters: WindowCounters,
  request: Request,
  response: Response,
): Promise<boolean> {
  if (hasConfiguredToken(deps, request)) return true;
  return (await visitorOf(deps, counters, request, response, deps.clock())) !== null;
}

/** True for `METRICS_TOKEN` and for the shared staff token: they are known without the database. */
export function hasConfiguredToken(
  { metricsTokenHash, staff }: Pick<HttpDeps, 'metricsTokenHash' | 'staff'>,
  { headers }: Pick<Request, 'headers'>,
): boolean {
  const token = bearerIn(headers.authorization);
  if (token === null) return false;
  const hash = secretHash(token);
  return [metricsTokenHash, staff?.tokenHash ?? null].some((known) => known !== null && isSameHash(hash, known));
}
