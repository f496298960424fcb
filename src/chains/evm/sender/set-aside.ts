import type { ChargeDoc } from '../../../store/collections.ts';
import { postpone } from '../../charges.ts';
import { type MandatesById, mandateFault } from '../../mandate-reader.ts';
import type { EvmContext } from '../context.ts';

/** The pause before such a charge is tried again, in milliseconds. */
const FAULTY_REST_MS = 60_000;

/** Charges that can be put into a call, with their mandates. */
export interface Sound {
  readonly charges: readonly ChargeDoc[];
  readonly mandates: MandatesById;
}

/**
 * Reads the mandates of these charges. A charge that does not agree with its mandate, or whose mandate is not stored,
 * is an error of the program: it waits, shows under trouble, and delays no other.
 */
export async function setAsideFaulty(ctx: EvmContext, charges: readonly ChargeDoc[]): Promise<Sound> {
  const mandates = await ctx.mandates.ofCharges(charges);
  const faulty = charges.filter((charge) => reportFault(ctx, charge, mandates));
  if (faulty.length === 0) return { charges, mandates };
  await postpone(ctx, faulty, FAULTY_REST_MS);
  return { charges: charges.filter((charge) => !faulty.includes(charge)), mandates };
}

/** True if the charge cannot be made under its mandate. It shows under trouble from now on. */
export function reportFault(
  { chainId, log, troubles }: Pick<EvmContext, 'chainId' | 'log' | 'troubles'>,
  charge: ChargeDoc,
  mandates: MandatesById,
): boolean {
  if (charge.mandate === undefined) return false;
  const fault = mandateFault(charge, mandates);
  const sentence = fault === null ? null : `charge ${charge._id} ${fault}; it waits`;
  const isChanged = troubles.set(`mandate:${charge._id}`, sentence);
  if (isChanged && sentence !== null) log.error({ chainId, chargeId: charge._id }, sentence);
  return fault !== null;
}
