import type { NodeAnswers } from '../endpoints.ts';
import type { RpcAnswer, RpcCall } from '../rpc.ts';
import { resultOf } from '../rpc.ts';
import { signaturesSchema, type WireError } from './wire.ts';

/** A successful transaction that names a charge's key. */
export interface Landed {
  readonly signature: string;
  readonly slot: number;
}

/** The successful transactions that name a key's address. */
export interface Fence {
  readonly landed: readonly Landed[];
  /** True if nodes have listed all transactions that name the address: there are no others. */
  readonly isWhole: boolean;
}

/** The most transactions that nodes list at once. Anybody can name an address, and the newest come first. */
const LISTED = 1_000;

/**
 * The call that finds out whether a key has been charged: it lists the confirmed transactions that name the key's
 * reference. `fenceBy` reads the answer.
 *
 * @param fromSlot a node that has not reached this slot refuses the call
 */
export function fenceCall(reference: string, fromSlot?: number): RpcCall {
  const asOf = fromSlot === undefined ? {} : { minContextSlot: fromSlot };
  return {
    method: 'getSignaturesForAddress',
    params: [reference, { commitment: 'confirmed', limit: LISTED, ...asOf }],
  };
}

/**
 * The successful transactions of a key. Anybody can name an address: only the transaction itself shows whether it is
 * the charge (`reconcileExisting`). Throws when the node did not answer.
 */
function fenceIn(answer: RpcAnswer | undefined): Fence {
  const listed: readonly { signature: string; slot: number; err: WireError | null }[] = signaturesSchema.parse(
    resultOf(answer),
  );
  const landed = listed.filter(({ err }) => err === null).map(({ signature, slot }) => ({ signature, slot }));
  return { landed, isWhole: listed.length < LISTED };
}

/**
 * The same for all nodes that were asked, each transaction once. `index` is that of the answer. Throws when one did not
 * answer.
 */
export function fenceBy(nodes: readonly NodeAnswers[], index: number): Fence {
  const fences = nodes.map(({ answers }) => fenceIn(answers[index]));
  return { landed: eachOnce(fences.flatMap(({ landed }) => landed)), isWhole: fences.every(({ isWhole }) => isWhole) };
}

/** Each transaction once, even if several nodes have listed it. */
export function eachOnce(listed: readonly Landed[]): Landed[] {
  return [...new Map(listed.map((landed) => [landed.signature, landed])).values()];
}
