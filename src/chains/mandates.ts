import { isHexString, recoverAddress, Signature } from 'ethers';
import type { MandateDoc } from '../store/collections.ts';
import { mandateHash, mandateTypedData } from './evm/contracts/mandates.ts';
import { contractMandate } from './evm/router-charge.ts';
import type { Chain } from './port.ts';
import { EVM_SIGNATURE_BYTES_MAX, innerSignature, isSignedBy } from './signatures.ts';
import { solanaMandateHash } from './solana/mandates.ts';

/** The limits that a payer is asked to sign. */
export type MandateDraft = Omit<MandateDoc, '_id' | 'signature' | 'message' | 'createdAt'>;

/** The name of a mandate: on EVM the EIP-712 hash, on Solana the hash that the signed text contains. 0x-hex. */
export function mandateIdOf(draft: MandateDraft): string {
  return draft.router === null
    ? solanaMandateHash(draft)
    : mandateHash(draft.chainId, draft.router, contractMandate(draft));
}

/** The EIP-712 typed data of a mandate; null on Solana, where the payer signs the text. */
export function typedDataOf(draft: MandateDraft): ReturnType<typeof mandateTypedData> | null {
  return draft.router === null ? null : mandateTypedData(draft.chainId, draft.router, contractMandate(draft));
}

/**
 * The payer's signature of this mandate, in the form that its router takes. Null: it is not the payer's. On EVM it is
 * of the typed data, by an account or a contract wallet (EIP-1271), even one to be created (ERC-6492); on Solana of the
 * text that contains the mandate's hash. Throws when a contract has to be asked and its chain does not answer.
 */
export async function mandateSignature(
  draft: MandateDraft,
  { message, signature }: { readonly message: string; readonly signature: string },
  chain: Pick<Chain, 'acceptsSignature'>,
): Promise<string | null> {
  const { payer } = draft;
  if (draft.router === null) {
    return (await isSignedBy({ family: 'solana', wallet: payer, message, signature }, chain)) ? signature : null;
  }
  if (!isHexString(signature) || signature.length > 2 + 2 * EVM_SIGNATURE_BYTES_MAX) return null;
  const digest = mandateIdOf(draft);
  const inner = innerSignature(signature);
  const ofKey = keySignature(payer, digest, inner);
  if (ofKey !== null) return ofKey;
  return signature.length % 2 === 0 && (await chain.acceptsSignature(payer, digest, signature)) ? inner : null;
}

/** True if the router asks a contract about this signature, because the payer's key has not made it. */
export function isContractSignature(draft: MandateDraft, signature: string): boolean {
  return draft.router !== null && keySignature(draft.payer, mandateIdOf(draft), signature) === null;
}

/** The router's 65 bytes; null: not by the payer's key. Wallets also give v 0 or 1, or 64 bytes (EIP-2098). */
function keySignature(payer: string, digest: string, signature: string): string | null {
  try {
    const given = Signature.from(signature);
    return recoverAddress(digest, given) === payer ? given.serialized : null;
  } catch {
    return null;
  }
}
