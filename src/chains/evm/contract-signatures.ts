import { Interface } from 'ethers';
import { NodeRefused } from '../rpc.ts';
import { wrapperIn } from '../signatures.ts';
import type { EvmLink } from './link.ts';
import { decodeAggregate3, encodeAggregate3, MULTICALL3, type ViewCall } from './multicall.ts';
import { hexBytes, toQuantity } from './wire.ts';

const eip1271 = new Interface(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)']);

/** The gas for the answer: what the router gives (`SIGNATURE_GAS`), and the costs of a transaction. */
const SIGNATURE_GAS = 500_000n;
/** The gas to create the account first. */
const CREATION_GAS = 5_000_000n;

/** A contract's answer for yes: a word that begins with the selector of `isValidSignature` (EIP-1271). */
const YES = '0x1626ba7e'.padEnd(66, '0');

/**
 * True if the contract at `wallet` accepts the signature as its own (EIP-1271), or would after the call in the
 * signature's wrapper (ERC-6492). False if there is no contract, or if it reverts or uses up its gas. Throws when the
 * node does not answer.
 */
export async function acceptsSignature(link: EvmLink, wallet: string, digest: string, signature: string) {
  const wrapper = wrapperIn(signature);
  const data = eip1271.encodeFunctionData('isValidSignature', [digest, wrapper?.inner ?? signature]);
  const question = { to: wallet, data };
  if ((await answerTo(link, question, SIGNATURE_GAS)).startsWith(YES)) return true;
  if (wrapper === null) return false;
  const both = { to: MULTICALL3, data: encodeAggregate3([wrapper.creation, question]) };
  const answers = await answerTo(link, both, CREATION_GAS);
  // A chain without Multicall3 answers with nothing.
  return answers !== '0x' && decodeAggregate3(answers, 2)[1]?.startsWith(YES) === true;
}

/** Nothing, `0x`, if the call reverts. */
async function answerTo(link: EvmLink, call: ViewCall, gas: bigint): Promise<string> {
  try {
    const answer = await link.call('eth_call', [{ ...call, gas: toQuantity(gas) }, 'latest']);
    return hexBytes.parse(answer).toLowerCase();
  } catch (error) {
    if (error instanceof NodeRefused && error.verdict.about === 'call') return '0x';
    throw error;
  }
}
