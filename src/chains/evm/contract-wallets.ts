import { Interface } from 'ethers';
import { NodeRefused } from '../rpc.ts';
import type { EvmLink } from './link.ts';
import { hexBytes } from './wire.ts';

const eip1271 = new Interface(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)']);

/** A contract's answer for yes: the selector of `isValidSignature` (EIP-1271), in the first bytes of a word. */
const YES = '0x1626ba7e';

/**
 * True if the contract at `wallet` accepts the signature as its own (EIP-1271). False if there is no contract, or if it
 * reverts. Throws when the node does not answer.
 */
export async function acceptsSignature(
  link: EvmLink,
  wallet: string,
  digest: string,
  signature: string,
): Promise<boolean> {
  const data = eip1271.encodeFunctionData('isValidSignature', [digest, signature]);
  try {
    const answer = hexBytes.parse(await link.call('eth_call', [{ to: wallet, data }, 'latest']));
    return answer.length >= 66 && answer.toLowerCase().startsWith(YES);
  } catch (error) {
    if (error instanceof NodeRefused && error.isRevert) return false;
    throw error;
  }
}
