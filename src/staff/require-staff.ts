import type { Request, Response } from 'express';
import { notFound } from '../fault.ts';
import type { HttpDeps } from '../http/deps.ts';
import { FAILED_AUTHENTICATIONS_PER_MINUTE } from '../http/limits.ts';
import { unauthorized } from '../http/middleware/authenticate.ts';
import { clientAddress } from '../http/middleware/client-address.ts';
import { limitAddress } from '../http/middleware/rate-limit.ts';
import type { WindowCounters } from '../http/middleware/windows.ts';
import { isStaff } from './authenticate.ts';

/**
 * Lets in who has the staff token. Throws 404 where this process has no staff access, 401 without the token, and 429 for an
 * address that has failed too often.
 */
export async function requireStaff(
  { staff }: Pick<HttpDeps, 'staff'>,
  counters: WindowCounters,
  request: Request,
  response: Response,
  now: Date,
): Promise<void> {
  if (staff === null) throw notFound();
  if (isStaff(request.headers.authorization, staff.tokenHash)) return;
  const address = clientAddress(request.ip);
  const perMinute = FAILED_AUTHENTICATIONS_PER_MINUTE;
  await limitAddress(counters, response, { purpose: 'staff', address, perMinute, now });
  throw unauthorized();
}
