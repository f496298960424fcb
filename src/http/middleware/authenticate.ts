import { Fault } from '../../errors/fault.ts';
import type { Caller } from '../endpoint.ts';

/** The one 401, byte-identical whatever the cause (reference, section 5). */
export function unauthorized(): Fault {
  return new Fault('unauthenticated', 'Unauthorized');
}

/** Finds who a key belongs to: null for an unknown or revoked key, and for a suspended merchant. */
export type FindCaller = (key: string) => Promise<Caller | null>;

/**
 * Who calls, by the `X-API-Key` header and nothing else. Throws 401 where nobody may; `onFailure` learns of it first,
 * and may throw something else (the limit of failed authentications).
 */
export async function authenticate(
  header: string | string[] | undefined,
  find: FindCaller,
  onFailure: () => Promise<void>,
): Promise<Caller> {
  const caller = typeof header === 'string' && header !== '' ? await find(header) : null;
  if (caller !== null) return caller;
  await onFailure();
  throw unauthorized();
}
