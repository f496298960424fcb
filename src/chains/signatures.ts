import { createPublicKey, verify } from 'node:crypto';
import { AbiCoder, hashMessage, isHexString, verifyMessage } from 'ethers';
import { z } from 'zod';
import { unknownCase } from '../../machines/unknown-case.ts';
import type { ChainFamily } from '../store/collections.ts';
import type { Chain } from './port.ts';
import { fromBase58 } from './solana/keys.ts';

/** A text, and the signature that is claimed to be the wallet's. */
export interface SignedText {
  readonly family: ChainFamily;
  /** EVM: checksummed. Solana: base58. */
  readonly wallet: string;
  readonly message: string;
  /** EVM: 0x-hex (`personal_sign`). Solana: base58 of the 64 bytes of `signMessage`. */
  readonly signature: string;
}

/** Signatures of contract wallets with many owners are long, but none is longer than this. */
export const EVM_SIGNATURE_BYTES_MAX = 4_096;
const SOLANA_SIGNATURE_BYTES = 64;
const SOLANA_KEY_BYTES = 32;

/** The bytes before the 32 bytes of an ed25519 key in its SubjectPublicKeyInfo (RFC 8410). */
const ED25519_SPKI = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * True if the wallet signed exactly this text (docs/rules.md, "Checkout API": Signatures): with the key of an EVM
 * account (EIP-191), as a contract wallet that confirms it on its chain (EIP-1271), once it is created there
 * (ERC-6492), or with a Solana key (ed25519). Throws when a contract has to be asked and its chain does not answer.
 */
export async function isSignedBy(signed: SignedText, chain: Pick<Chain, 'acceptsSignature'>): Promise<boolean> {
  const { family, wallet, message, signature } = signed;
  switch (family) {
    case 'evm':
      if (!isHexString(signature) || signature.length > 2 + 2 * EVM_SIGNATURE_BYTES_MAX) return false;
      if (signerOf(message, innerSignature(signature)) === wallet) return true;
      return signature.length % 2 === 0 && chain.acceptsSignature(wallet, hashMessage(message), signature);
    case 'solana':
      return isEd25519Signed(wallet, message, signature);
    default:
      return unknownCase(family, 'chain family');
  }
}

/** The end of a signature that comes with the call that creates its account (ERC-6492). */
const WRAPPED = '6492'.repeat(16);
const wrapperSchema = z.tuple([z.string(), z.string(), z.string()]);

/** An EVM signature without the wrapper of ERC-6492, as the account's contract takes it. In 0x-hex. */
export function innerSignature(signature: string): string {
  return wrapperIn(signature)?.inner ?? signature;
}

/** The creation of the account, and the signature in the wrapper. null: there is none, or it cannot be read. */
export function wrapperIn(signature: string) {
  if (!signature.toLowerCase().endsWith(WRAPPED)) return null;
  try {
    const decoded = AbiCoder.defaultAbiCoder().decode(['address', 'bytes', 'bytes'], signature);
    const [to, data, inner] = wrapperSchema.parse(decoded.toArray());
    return { creation: { to, data }, inner };
  } catch {
    return null;
  }
}

/** The account whose key made the signature. Null: no key made it. */
function signerOf(message: string, signature: string): string | null {
  try {
    return verifyMessage(message, signature);
  } catch {
    return null;
  }
}

/** True if the key of this Solana wallet signed the text. `signature` is base58. */
export function isEd25519Signed(wallet: string, message: string, signature: string): boolean {
  const key = bytesOfBase58(wallet, SOLANA_KEY_BYTES);
  const bytes = bytesOfBase58(signature, SOLANA_SIGNATURE_BYTES);
  if (key === null || bytes === null) return false;
  try {
    const publicKey = createPublicKey({ key: Buffer.concat([ED25519_SPKI, key]), format: 'der', type: 'spki' });
    return verify(null, Buffer.from(message), publicKey, bytes);
  } catch {
    return false;
  }
}

/** Null: the text is not base58 of exactly `length` bytes. */
function bytesOfBase58(text: string, length: number): Uint8Array | null {
  const bytes = text.length > 2 * length ? null : fromBase58(text);
  return bytes?.length === length ? bytes : null;
}
