import { randomBytes } from 'node:crypto';
import { conflict, invalid, notFound } from '../../errors/fault.ts';
import { secretHash } from '../../model/secrets.ts';
import type { StaffRole, StaffTokenDoc } from '../../store/collections.ts';
import type { RecordStore } from '../../store/port.ts';

/** Greater than the number of tokens of any installation. */
const TOKENS_MAX = 1_000;

/**
 * Creates a token for a member of the staff and returns it. It cannot be shown again, because only its SHA-256 is
 * stored. Throws 400 for an invalid name, and 409 if the name has an active token.
 */
export async function addStaffToken(
  records: RecordStore,
  { name, role, now }: { readonly name: string; readonly role: StaffRole; readonly now: Date },
): Promise<string> {
  if (!isStaffName(name)) throw invalid(`NAME must be ${STAFF_NAME_RULE}`);
  const token = `tl_staff_${randomBytes(24).toString('base64url')}`;
  const [verdict] = await records.insert('staffTokens', [
    {
      _id: secretHash(token),
      name,
      inForce: name,
      role,
      hint: token.slice(-4),
      createdAt: now,
      revokedAt: null,
    },
  ]);
  if (verdict?.inserted) return token;
  throw conflict(`${name} has a token; revoke it first`);
}

/** All tokens by name, the active ones first. */
export async function listStaffTokens(records: RecordStore): Promise<StaffTokenDoc[]> {
  const tokens = await records.find('staffTokens', { where: {}, limit: TOKENS_MAX });
  const rank = ({ inForce, name, createdAt }: StaffTokenDoc) =>
    `${inForce === null ? 1 : 0} ${name} ${createdAt.toISOString()}`;
  return tokens.sort((one, other) => (rank(one) < rank(other) ? -1 : 1));
}

/**
 * Revokes the active token of that name: neither it nor a session opened with it is accepted from now on. Throws 404.
 */
export async function revokeStaffToken(records: RecordStore, name: string, now: Date): Promise<StaffTokenDoc> {
  const [token] = await records.find('staffTokens', { where: { inForce: name }, limit: 1 });
  const set = { inForce: null, revokedAt: now };
  const revoked = token && (await records.change('staffTokens', token._id, { inForce: name }, { set }));
  if (!revoked) throw notFound();
  return revoked;
}

/** The token with this SHA-256 if it is active; else null. */
export async function staffTokenInForce(
  records: Pick<RecordStore, 'get'>,
  tokenHash: string,
): Promise<StaffTokenDoc | null> {
  const [token] = await records.get('staffTokens', [tokenHash]);
  return token && token.inForce !== null ? token : null;
}

/** True if a member of the staff may have this name. Journals have it as `staff:NAME`. */
export function isStaffName(name: string): boolean {
  return /^[\w.@+-][\w .@+-]{0,63}$/.test(name);
}

export const STAFF_NAME_RULE = '1 to 64 letters, digits, spaces or . _ @ + -';

/** The author in the journal. null: an unnamed member of the staff. */
export function staffHand(name: string | null): string {
  return name === null ? 'staff' : `staff:${name}`;
}
