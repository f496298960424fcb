import { isHexString, recoverAddress } from 'ethers';
import type { MandateDoc } from '../store/collections.ts';
import { contractMandate } from './evm/contract-mandate.ts';
import { mandateHash, mandateTypedData } from './evm/contracts/mandates.ts';
import type { Chain } from './port.ts';
import { EVM_SIGNATURE_BYTES_MAX, isSignedBy } from './signatures.ts';
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
 * True if the payer has signed this mandate: on EVM its typed data, with the key of an account or as a contract wallet
 * (EIP-1271); on Solana the text that contains its hash. Throws when a contract has to be asked and its chain does not answer.
 */
export async function isMandateSigned(
  draft: MandateDraft,
  { message, signature }: { readonly message: string; readonly signature: string },
  chain: Pick<Chain, 'acceptsSignature'>,
): Promise<boolean> {
  const { payer } = draft;
  if (draft.router === null) return isSignedBy({ family: 'solana', wallet: payer, message, signature }, chain);
  if (!isHexString(signature) || signature.length > 2 + 2 * EVM_SIGNATURE_BYTES_MAX) return false;
  const digest = mandateIdOf(draft);
  if (signerOf(digest, signature) === payer) return true;
  return signature.length % 2 === 0 && chain.acceptsSignature(payer, digest, signature);
}

/** The account whose key made the signature. Null: no key made it. */
function signerOf(digest: string, signature: string): string | null {
  try {
    return recoverAddress(digest, signature);
  } catch {
    return null;
  }
}
