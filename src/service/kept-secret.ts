import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createProofSigner, type ProofSigner } from '../billing/proof/signer.ts';
import type { Config } from '../config/config.ts';
import { secretHash } from '../model/secrets.ts';

/**
 * A secret that this installation makes itself and keeps in its data folder, readable only by its user. Two first
 * starts at once agree on one: the file gets its name when it is complete, and the first to name it wins.
 */
async function keptSecret(dataDir: string, file: string, make: () => string): Promise<string> {
  const path = join(dataDir, file);
  await mkdir(dataDir, { recursive: true });
  const known = await textOf(path);
  if (known !== null) return known;
  const made = join(dataDir, `${file}.${randomUUID()}`);
  await writeFile(made, `${make()}\n`, { flag: 'wx', mode: 0o600 });
  try {
    await link(made, path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    await rm(made, { force: true });
  }
  return (await readFile(path, 'utf8')).trim();
}

async function textOf(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

/**
 * The signer of proofs of charge: `SIGNING_KEY`; else, in the embedded default, a key that the first start makes and
 * keeps in the data folder. null: an installation for real chains without `SIGNING_KEY` signs none.
 */
export async function proofSigner({ signingKey, localDevnets, dataDir }: Config): Promise<ProofSigner | null> {
  if (signingKey !== null) return createProofSigner(signingKey);
  if (!localDevnets) return null;
  const kept = await keptSecret(dataDir, 'signing-key', () => randomBytes(32).toString('hex'));
  return createProofSigner(Buffer.from(kept, 'hex'));
}

interface StaffAccess {
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
  const token = await keptSecret(
    config.dataDir,
    'staff-token',
    () => `tl_staff_${randomBytes(24).toString('base64url')}`,
  );
  return { tokenHash: secretHash(token), name, shown: token };
}
