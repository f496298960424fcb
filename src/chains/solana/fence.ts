import type { Said } from '../endpoints.ts';
import type { RpcAnswer, RpcCall } from '../rpc.ts';
import { resultOf } from '../rpc.ts';
import { signaturesSchema, type WireError } from './wire.ts';

/** A transaction that names a charge's key and has succeeded. */
export interface Landed {
  readonly signature: string;
  readonly slot: number;
}

/** Attempts of one key that nodes list at once: a charge that fails after it was sent is a rare thing. */
const LISTED = 50;

/**
 * What asks whether a key has been charged: which confirmed transactions name its reference. Put into a batch; `landedIn`
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
 * the transaction itself (`adopt`). Throws when the node did not say.
 */
function landedIn(answer: RpcAnswer | undefined): Landed[] {
  const listed: readonly { signature: string; slot: number; err: WireError | null }[] = signaturesSchema.parse(
    resultOf(answer),
  );
  return listed.filter(({ err }) => err === null).map(({ signature, slot }) => ({ signature, slot }));
}

/** The same by all nodes that were asked, each transaction once; the answers stand at `index`. Throws when one did not say. */
export function landedAnywhere(said: readonly Said[], index: number): Landed[] {
  return eachOnce(said.flatMap(({ answers }) => landedIn(answers[index])));
}

/** Each transaction once, whoever has listed it. */
export function eachOnce(listed: readonly Landed[]): Landed[] {
  return [...new Map(listed.map((landed) => [landed.signature, landed])).values()];
}
