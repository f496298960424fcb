import { timingSafeEqual } from 'node:crypto';
import { staffHand } from '../../billing/administration/staff-names.ts';
import { staffTokenInForce } from '../../billing/administration/staff-tokens.ts';
import type { HttpDeps } from '../../http/deps.ts';
import type { SessionCookie } from '../../http/session-cookie.ts';
import { newSession, type OpenedSession, secretHash } from '../../model/secrets.ts';
import type { StaffSessionDoc } from '../../store/collections.ts';
import type { RecordStore } from '../../store/port.ts';
import type { StaffCaller } from '../endpoint.ts';

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

export async function findStaffSession(
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
export async function holderById({ staff, store }: TokenDeps, tokenId: string): Promise<TokenHolder | null> {
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
