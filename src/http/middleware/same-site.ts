import type { Request } from 'express';
import { Fault } from '../../errors/fault.ts';
import { methodOf } from '../router.ts';

/**
 * A cookie, which a browser sends by itself, is not enough for a change. Only a page of this origin can add the header
 * `name: 1`: a page of another origin needs a preflight, which gets no permission. Throws 403.
 */
export function requireSameSite(request: Request, name: string): void {
  if (methodOf(request) === 'GET') return;
  const { headers } = request;
  const from = headers['sec-fetch-site'];
  const isOwn = from === undefined || from === 'same-origin' || from === 'none';
  if (isOwn && headers[name.toLowerCase()] === '1') return;
  throw new Fault('forbidden', `With a session, a change needs the header ${name}: 1 and must come from this site`);
}
