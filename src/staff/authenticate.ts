import { timingSafeEqual } from 'node:crypto';
import { secretHash } from '../billing/api-keys.ts';

/** True for `Authorization: Bearer <token>` with the token whose SHA-256 is given; compared in constant time. */
export function isStaff(authorization: string | undefined, tokenHash: string): boolean {
  const token = /^Bearer ([^\s]+)$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) return false;
  return timingSafeEqual(Buffer.from(secretHash(token), 'hex'), Buffer.from(tokenHash, 'hex'));
}
