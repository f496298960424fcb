import type { SolanaContext } from '../context.ts';
import type { SolanaSigner } from '../keys.ts';
import { draftOf, signMessage } from '../transaction.ts';
import type { KeptCharge } from './keep-to-mandates.ts';
import { type ChainReading, unitPriceFor } from './read-chain.ts';
import type { Paying } from './sort.ts';

/** A signed transaction. It gets its number in the signing queue when it is stored. */
export interface SignedCharge {
  readonly id: string;
  readonly chargeId: string;
  readonly signature: string;
  readonly raw: string;
  readonly lastValidBlockHeight: number;
  readonly fromSlot: number;
}

/** Signs for the fee payer, and the owner or delegate of the paying account. It must be stored before it goes out. */
export async function sign(
  ctx: SolanaContext,
  feePayer: SolanaSigner,
  reading: ChainReading,
  { plan, missing, units }: Paying,
  { charge, numbered }: KeptCharge,
): Promise<SignedCharge> {
  const { blockhash, lastValidBlockHeight, slot } = reading;
  const unitPrice = unitPriceFor(reading, charge);
  const options = { feePayer: feePayer.address, blockhash, missing, units, unitPrice, numbered };
  const draft = draftOf(plan, options);
  const { signature, raw } = await signMessage(draft.message, [feePayer, ctx.delegates.mover(charge)]);
  const id = charge.transactionId ?? ctx.newId();
  return { id, chargeId: charge._id, signature, raw, lastValidBlockHeight, fromSlot: slot };
}
