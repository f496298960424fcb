import type { ChargeDoc } from '../../../store/collections.ts';
import type { MandatesById } from '../../mandate-reader.ts';
import type { EvmContext } from '../context.ts';
import type { Refusal } from './sort.ts';

/** An account whose signature has failed in as many blocks gets no further transaction for this time. */
const WASTED_MOST = 3;
const WASTED_FOR_MS = 86_400_000;

/**
 * The ids of those charges for which the router asks a contract wallet for its signature (EIP-1271): the first ones
 * under mandates that such wallets have signed. Their code may burn all gas, and tell a simulation from a transaction.
 */
export async function chargesAskingWallets(
  { records }: Pick<EvmContext, 'records'>,
  charges: readonly ChargeDoc[],
  mandates: MandatesById,
): Promise<ReadonlySet<string>> {
  const bySignature = charges.filter(({ mandate }) => mandates.get(mandate?.id ?? '')?.signedByContract);
  const asking = await Promise.all(
    bySignature.map(async ({ _id, mandate }) => {
      const made = { 'mandate.id': mandate?.id ?? '', state: 'final' };
      const [before] = await records.find('charges', { where: made, limit: 1 });
      return before === undefined ? [_id] : [];
    }),
  );
  return new Set(asking.flat());
}

/** Their wallets agreed in simulations and wasted gas in blocks: no transaction until a day has passed. */
export async function refusalsOfWasters(
  { records, chainId, clock }: Pick<EvmContext, 'records' | 'chainId' | 'clock'>,
  charges: readonly ChargeDoc[],
): Promise<Refusal[]> {
  const since = new Date(clock().getTime() - WASTED_FOR_MS);
  const refusals = await Promise.all(
    charges.map(async (charge): Promise<Refusal[]> => {
      const { from } = charge;
      const failed = { state: 'refused', 'refusal.kind': 'bad_signature', txHash: { not: null } };
      const where = { chainId, from, ...failed, updatedAt: { gte: since } };
      const wasted = await records.find('charges', { where, limit: WASTED_MOST });
      if (wasted.length < WASTED_MOST) return [];
      const text = `${from} has let ${WASTED_MOST} charges fail in blocks within a day, which its simulations had allowed`;
      const why = { kind: 'refused', reason: 'insufficient_allowance', landed: false } as const;
      return [{ charge, why, block: null, note: { refusal: { kind: 'wasted_gas', text } }, after: [] }];
    }),
  );
  return refusals.flat();
}
