import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { secretHash } from '../billing/api-keys.ts';
import type { Config } from '../config.ts';

const FILE = 'staff-token';

export interface StaffAccess {
  readonly tokenHash: string;
  /** For people, where this installation made the token itself; null: they have chosen it. */
  readonly shown: string | null;
}

/**
 * `STAFF_TOKEN`; else, in the embedded default, the token kept in the data folder, made at the first start (decisions,
 * "Staff"). null: an installation for real chains without `STAFF_TOKEN` has no staff access.
 */
export async function staffAccess(config: Config): Promise<StaffAccess | null> {
  if (config.staffToken !== null) return { tokenHash: secretHash(config.staffToken), shown: null };
  if (!config.localDevnets) return null;
  const token = await keptToken(config.dataDir);
  return { tokenHash: secretHash(token), shown: token };
}

/** Two first starts at once agree on one: the file is made by whoever is first. */
async function keptToken(dataDir: string): Promise<string> {
  const path = join(dataDir, FILE);
  await mkdir(dataDir, { recursive: true });
  const made = `tl_staff_${randomBytes(24).toString('base64url')}`;
  try {
    await writeFile(path, `${made}\n`, { flag: 'wx', mode: 0o600 });
    return made;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST')
      return (await readFile(path, 'utf8')).trim();
    throw error;
  }
}
