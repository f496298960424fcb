import { Fault } from '../../errors/fault.ts';
import type { Caller } from '../endpoint.ts';

/** The one 401, byte-identical for every cause (reference, section 5). */
export function unauthorized(): Fault {
  return new Fault('unauthenticated', 'Unauthorized');
}

/** Finds the owner of a key: null for an unknown or revoked key, and for a suspended merchant. */
export type FindCaller = (key: string) => Promise<Caller | null>;

/** By `X-API-Key` only. Throws 401 without a valid key; `onFailure` runs first, and may throw its limit. */
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
