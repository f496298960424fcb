import type { Said } from '../endpoints.ts';
import type { RpcAnswer, RpcCall } from '../rpc.ts';
import { resultOf } from '../rpc.ts';
import { signaturesSchema, type WireError } from './wire.ts';

/** A transaction that names a charge's key and has succeeded. */
export interface Landed {
  readonly signature: string;
  readonly slot: number;
}

/** What a key's address says of it. */
export interface Fence {
  readonly landed: readonly Landed[];
  /** Nodes have listed all transactions that name it: there is none beside these. */
  readonly isWhole: boolean;
}

/** As many as nodes list at once: anybody can name an address, and the newest come first. */
const LISTED = 1_000;

/**
 * What asks whether a key has been charged: which confirmed transactions name its reference. Put into a batch; `fenceBy`
 * takes the answer.
 *
 * @param fromSlot the node has to have come so far, or it refuses
 */
export function fenceCall(reference: string, fromSlot?: number): RpcCall {
  const asOf = fromSlot === undefined ? {} : { minContextSlot: fromSlot };
  return {
    method: 'getSignaturesForAddress',
    params: [reference, { commitment: 'confirmed', limit: LISTED, ...asOf }],
  };
}

/**
 * The transactions of a key that have succeeded. Anybody can name an address: whether one is really the charge is seen in
 * the transaction itself (`reconcileExisting`). Throws when the node did not say.
 */
function fenceIn(answer: RpcAnswer | undefined): Fence {
  const listed: readonly { signature: string; slot: number; err: WireError | null }[] = signaturesSchema.parse(
    resultOf(answer),
  );
  const landed = listed.filter(({ err }) => err === null).map(({ signature, slot }) => ({ signature, slot }));
  return { landed, isWhole: listed.length < LISTED };
}

/** The same by all nodes that were asked, each transaction once; the answers stand at `index`. Throws when one did not say. */
export function fenceBy(said: readonly Said[], index: number): Fence {
  const fences = said.map(({ answers }) => fenceIn(answers[index]));
  return { landed: eachOnce(fences.flatMap(({ landed }) => landed)), isWhole: fences.every(({ isWhole }) => isWhole) };
}

/** Each transaction once, whoever has listed it. */
export function eachOnce(listed: readonly Landed[]): Landed[] {
  return [...new Map(listed.map((landed) => [landed.signature, landed])).values()];
}
