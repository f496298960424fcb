import { randomBytes } from 'node:crypto';
import { conflict, invalid, notFound } from '../../errors/fault.ts';
import type { StaffRole, StaffTokenDoc } from '../../store/collections.ts';
import type { RecordStore } from '../../store/port.ts';
import { secretHash } from '../api-keys.ts';
import { isStaffName, STAFF_NAME_RULE } from './staff-names.ts';

/** More than an installation has staff. */
const TOKENS_MAX = 1_000;

/**
 * Makes the token of a member of the staff; it is returned here and never again, for only its SHA-256 is stored. Throws 400
 * for what is no name, and 409 where a token of that name is in force.
 */
export async function addStaffToken(
  records: RecordStore,
  { name, role, now }: { readonly name: string; readonly role: StaffRole; readonly now: Date },
): Promise<string> {
  if (!isStaffName(name)) throw invalid(`NAME must be ${STAFF_NAME_RULE}`);
  const token = `tl_staff_${randomBytes(24).toString('base64url')}`;
  const doc = { name, inForce: name, role, hint: token.slice(-4), createdAt: now, revokedAt: null };
  const [verdict] = await records.insert('staffTokens', [{ _id: secretHash(token), ...doc }]);
  if (verdict?.inserted) return token;
  throw conflict(`${name} has a token; revoke it first`);
}

/** Every token that there has been, by name, those in force first. */
export async function listStaffTokens(records: RecordStore): Promise<StaffTokenDoc[]> {
  const tokens = await records.find('staffTokens', { where: {}, limit: TOKENS_MAX });
  const rank = ({ inForce, name, createdAt }: StaffTokenDoc) =>
    `${inForce === null ? 1 : 0} ${name} ${createdAt.toISOString()}`;
  return tokens.sort((one, other) => (rank(one) < rank(other) ? -1 : 1));
}

/** From now on the token of that name lets nobody in, and neither does a session that was opened with it. Throws 404. */
export async function revokeStaffToken(records: RecordStore, name: string, now: Date): Promise<StaffTokenDoc> {
  const [token] = await records.find('staffTokens', { where: { inForce: name }, limit: 1 });
  const set = { inForce: null, revokedAt: now };
  const revoked = token && (await records.change('staffTokens', token._id, { inForce: name }, { set }));
  if (!revoked) throw notFound();
  return revoked;
}

/** The token with this SHA-256, while it is in force; else null. */
export async function staffTokenInForce(
  records: Pick<RecordStore, 'get'>,
  tokenHash: string,
): Promise<StaffTokenDoc | null> {
  const [token] = await records.get('staffTokens', [tokenHash]);
  return token && token.inForce !== null ? token : null;
}
