import { randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { secretHash } from '../model/secrets.ts';
import { keptSecret } from './kept-secret.ts';

const FILE = 'staff-token';

export interface StaffAccess {
  readonly tokenHash: string;
  /** The owner of the token, for the journal; null: shared by all staff. */
  readonly name: string | null;
  /** The token to show to people, if this installation made it; null: people have chosen it. */
  readonly shown: string | null;
}

/**
 * `STAFF_TOKEN`; else, in the embedded default, the token that the first start makes and keeps in the data folder
 * (docs/rules.md, "Staff"). null: an installation for real chains without `STAFF_TOKEN` has no staff access.
 */
export async function staffAccess(config: Config): Promise<StaffAccess | null> {
  const name = config.staffName;
  if (config.staffToken !== null) return { tokenHash: secretHash(config.staffToken), name, shown: null };
  if (!config.localDevnets) return null;
  const token = await keptSecret(config.dataDir, FILE, () => `tl_staff_${randomBytes(24).toString('base64url')}`);
  return { tokenHash: secretHash(token), name, shown: token };
}
