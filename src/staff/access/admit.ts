import { timingSafeEqual } from 'node:crypto';
import type { Request } from 'express';
import { staffHand, staffTokenInForce } from '../../billing/administration/staff-tokens.ts';
import { Fault, invalid, notFound } from '../../errors/fault.ts';
import type { HttpDeps } from '../../http/deps.ts';
import { unauthorized } from '../../http/middleware/authenticate.ts';
import { limitFailures } from '../../http/middleware/rate-limit.ts';
import { requireSameSite } from '../../http/middleware/same-site.ts';
import { type SessionCookie, secretIn } from '../../http/session-cookie.ts';
import { newSession, type OpenedSession, secretHash } from '../../model/secrets.ts';
import type { StaffRole, StaffSessionDoc } from '../../store/collections.ts';
import type { RecordStore } from '../../store/port.ts';
import type { WindowCounters } from '../../store/windows.ts';
import type { StaffCaller } from '../endpoint.ts';

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

/** A working day; after it, one enters the token again. */
export const STAFF_SESSION_MS = 12 * 3_600_000;

/** Only the staff pages and their API receive it. */
export const STAFF_COOKIE: SessionCookie = { name: 'tideline_staff', path: '/staff' };

/** Opens a session for a caller who has shown a token. Returns the value of the cookie; only its SHA-256 is stored. */
export async function openStaffSession(
  records: RecordStore,
  { tokenId, by }: Pick<StaffSessionDoc, 'tokenId' | 'by'>,
  now: Date,
): Promise<OpenedSession> {
  const { opened, stored } = newSession(now, STAFF_SESSION_MS);
  await records.insert('staffSessions', [{ ...stored, tokenId, by }]);
  return opened;
}

async function findStaffSession(
  records: Pick<RecordStore, 'get'>,
  secret: string,
  now: Date,
): Promise<StaffSessionDoc | null> {
  const [session] = await records.get('staffSessions', [secretHash(secret)]);
  return session && session.expiresAt > now ? session : null;
}

export async function endStaffSession(records: RecordStore, secret: string): Promise<void> {
  await records.remove('staffSessions', [secretHash(secret)]);
}

type TokenDeps = Pick<HttpDeps, 'staff' | 'store'>;

interface TokenHolder extends StaffCaller {
  readonly tokenId: string;
}

/** The holder of a token; null: it is not valid. */
export function holderOf(deps: TokenDeps, token: string): Promise<TokenHolder | null> {
  return holderById(deps, secretHash(token));
}

/** The holder of a token by its SHA-256, hex. The shared token is compared in constant time. */
async function holderById({ staff, store }: TokenDeps, tokenId: string): Promise<TokenHolder | null> {
  if (staff !== null && isSameHash(tokenId, staff.tokenHash)) {
    return { tokenId, by: staffHand(staff.name), role: 'admin' };
  }
  const token = await staffTokenInForce(store.records, tokenId);
  return token && { tokenId, by: staffHand(token.name), role: token.role };
}

/** Compares two SHA-256 (hex) in constant time. */
export function isSameHash(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one, 'hex'), Buffer.from(other, 'hex'));
}
