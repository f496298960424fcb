import { readFileSync, statSync } from 'node:fs';
import { isKeystoreJson, Wallet } from 'ethers';
import { z } from 'zod';
import { keyFromSecret, toBase58 } from '../chains/solana/keys.ts';

/** A key file that cannot be used. The message names the file and the expectation, and has no secret. */
export class KeyFileError extends Error {
  constructor(path: string, problem: string) {
    super(`${path} ${problem}`);
    this.name = 'KeyFileError';
  }
}

/** Others may read an encrypted file, but may not write either kind. */
const WRITTEN_BY_OTHERS = 0o022;
const OPEN_TO_OTHERS = 0o077;
const WRITTEN_BY_ANYBODY = 0o222;

/**
 * The private key (0x-hex) in an encrypted JSON keystore (Web3 Secret Storage, version 3, as geth, Foundry and ethers
 * write it). Takes about a second; the format is slow so that guessing is expensive.
 *
 * @throws KeyFileError
 */
export function keyOfKeystore(path: string, password: string): string {
  const text = contentOf(path, WRITTEN_BY_OTHERS);
  if (!isKeystoreJson(text)) {
    throw new KeyFileError(path, 'is no encrypted JSON keystore: expected Web3 Secret Storage, version 3');
  }
  try {
    return Wallet.fromEncryptedJsonSync(text, password).privateKey;
  } catch {
    throw new KeyFileError(path, 'is not opened by the password, or is damaged');
  }
}

const keyPair = z.array(z.int().min(0).max(255)).length(64);

/**
 * The secret key (base58 of 64 bytes) in a key pair file of `solana-keygen`: a JSON array of 64 numbers. The file is
 * not encrypted, so only its owner may have access to it. A file that nobody can write, such as a mounted secret of
 * Kubernetes (0440 or 0444), may be readable by others.
 *
 * @throws KeyFileError
 */
export function secretOfKeyPair(path: string): string {
  const bytes = keyPair.safeParse(jsonIn(contentOf(path, OPEN_TO_OTHERS)));
  const problem = 'is no key pair: expected a JSON array of 64 bytes, as solana-keygen writes it';
  if (!bytes.success) throw new KeyFileError(path, problem);
  const secret = toBase58(Uint8Array.from(bytes.data));
  try {
    keyFromSecret(secret);
    return secret;
  } catch {
    throw new KeyFileError(path, 'is no key pair: its second half is not the public key of the first');
  }
}

function contentOf(path: string, forbidden: number): string {
  try {
    const mode = statSync(path).mode & 0o777;
    if ((mode & forbidden) !== 0 && !(isMounted(mode) && forbidden === OPEN_TO_OTHERS)) {
      const may = forbidden === OPEN_TO_OTHERS ? 'is open to others than its owner' : 'can be written by others';
      throw new KeyFileError(path, `${may} (mode 0${mode.toString(8)}): chmod 600 it`);
    }
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof KeyFileError) throw error;
    throw new KeyFileError(path, 'cannot be read');
  }
}

/** A secret that was mounted for this process: 0440 or 0444. Who can read it is decided where it is mounted. */
function isMounted(mode: number): boolean {
  return (mode & WRITTEN_BY_ANYBODY) === 0 && (mode & 0o111) === 0;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
