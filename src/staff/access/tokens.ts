import { timingSafeEqual } from 'node:crypto';
import { staffHand } from '../../billing/administration/staff-names.ts';
import { staffTokenInForce } from '../../billing/administration/staff-tokens.ts';
import type { HttpDeps } from '../../http/deps.ts';
import { secretHash } from '../../model/secrets.ts';
import type { StaffCaller } from '../endpoint.ts';

export type TokenDeps = Pick<HttpDeps, 'staff' | 'store'>;

/** A caller with a valid token. `isShared`: the token of the configuration, which does not identify a person. */
export interface TokenHolder extends StaffCaller {
  readonly tokenId: string;
  readonly isShared: boolean;
}

/** The holder of a token; null: it is not valid. */
export function holderOf(deps: TokenDeps, token: string): Promise<TokenHolder | null> {
  return holderById(deps, secretHash(token));
}

/** The holder of a token by its SHA-256, hex. The shared token is compared in constant time. */
export async function holderById({ staff, store }: TokenDeps, tokenId: string): Promise<TokenHolder | null> {
  if (staff !== null && isSameHash(tokenId, staff.tokenHash)) {
    return { tokenId, by: staffHand(staff.name), role: 'admin', isShared: true };
  }
  const token = await staffTokenInForce(store.records, tokenId);
  return token && { tokenId, by: staffHand(token.name), role: token.role, isShared: false };
}

/** Compares two SHA-256 (hex) in constant time. */
export function isSameHash(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one, 'hex'), Buffer.from(other, 'hex'));
}
