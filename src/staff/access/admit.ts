import type { Request } from 'express';
import { Fault, invalid, notFound } from '../../errors/fault.ts';
import type { HttpDeps } from '../../http/deps.ts';
import { unauthorized } from '../../http/middleware/authenticate.ts';
import { limitFailures } from '../../http/middleware/rate-limit.ts';
import { requireSameSite } from '../../http/middleware/same-site.ts';
import { secretIn } from '../../http/session-cookie.ts';
import type { StaffRole } from '../../store/collections.ts';
import type { WindowCounters } from '../../store/windows.ts';
import type { StaffCaller } from '../endpoint.ts';
import { findStaffSession, holderById, holderOf, STAFF_COOKIE } from './sessions.ts';

/** A change with a session needs this header. */
export const STAFF_HEADER = 'X-Staff-Request';

/** How long a sign-in counts for what makes a new way to sign in: a stolen cookie must not become one. */
const FRESH_MS = 10 * 60_000;

interface SignedIn extends StaffCaller {
  /** When the caller last showed a token. */
  readonly signedInAt: Date;
}

type AdmitDeps = Pick<HttpDeps, 'staff' | 'store'>;

/**
 * Identifies the member of the staff who sends a request: by `Authorization: Bearer <token>`, else by the session
 * cookie. Throws 401 without either (404 if this process also has no shared token), 429 for an address that has failed
 * too often, and 403 for a request with a cookie that another site may have caused, or that needs another role.
 * `isFresh`: throws 403 for a session older than ten minutes too.
 */
export async function admitStaff(
  deps: AdmitDeps,
  counters: WindowCounters,
  request: Request,
  { now, needs, isFresh }: { readonly now: Date; readonly needs: StaffRole; readonly isFresh: boolean },
): Promise<StaffCaller> {
  const caller = await callerOf(deps, request, now);
  if (caller === null) {
    if (deps.staff === null) throw notFound();
    await limitFailures(counters, request, 'staff', now);
    throw unauthorized();
  }
  requireRole(caller, needs, 'This');
  if (isFresh && Math.abs(now.getTime() - caller.signedInAt.getTime()) >= FRESH_MS)
    throw new Fault('forbidden', 'This needs a sign-in of the last ten minutes; sign in again with your token');
  return caller;
}

const RANKS: { readonly [R in StaffRole]: number } = { read: 0, act: 1, admin: 2 };

/** Throws 403, with both roles, if the caller's role lacks the needed one. `what`: the subject of the sentence. */
export function requireRole({ role }: StaffCaller, needs: StaffRole, what: string): void {
  if (RANKS[role] >= RANKS[needs]) return;
  throw new Fault('forbidden', `${what} needs the role ${needs}; yours is ${role}`);
}

/** As `admitStaff`, but null for an unknown visitor. Throws 429 for an address that has failed too often. */
export async function visitorOf(
  deps: AdmitDeps,
  counters: WindowCounters,
  request: Request,
  now: Date,
): Promise<StaffCaller | null> {
  const caller = await callerOf(deps, request, now);
  if (caller === null && request.headers.authorization !== undefined) {
    await limitFailures(counters, request, 'staff', now);
  }
  return caller;
}

async function callerOf(deps: AdmitDeps, request: Request, now: Date): Promise<SignedIn | null> {
  const { authorization, cookie } = request.headers;
  if (authorization !== undefined) {
    const caller = await byToken(deps, authorization, request.headers['x-staff-name']);
    return caller && { ...caller, signedInAt: now };
  }
  const secret = secretIn(STAFF_COOKIE, cookie);
  const session = secret === null ? null : await findStaffSession(deps.store.records, secret, now);
  const holder = session && (await holderById(deps, session.tokenId));
  if (!session || !holder) return null;
  requireSameSite(request, STAFF_HEADER);
  return { by: session.by, role: holder.role, signedInAt: session.createdAt };
}

/** The token of an `Authorization` header; null: there is none. */
export function bearerIn(authorization: string | undefined): string | null {
  return /^Bearer ([^\s]+)$/i.exec(authorization ?? '')?.[1] ?? null;
}

async function byToken(
  deps: AdmitDeps,
  authorization: string,
  name: string | string[] | undefined,
): Promise<StaffCaller | null> {
  const token = bearerIn(authorization);
  const holder = token === null ? null : await holderOf(deps, token);
  if (!holder) return null;
  if (name !== undefined)
    throw invalid(
      'X-Staff-Name must be left out: the journal has the name of the token, and each person gets their own',
    );
  const { by, role } = holder;
  return { by, role };
}
