import type { ChargeDoc, MandateDoc } from '../../../src/store/collections.ts';
import { MILLION } from '../support/world.ts';
import { useSolana } from './bench.ts';
import { signedMandate } from './signed-mandates.ts';

/** A chain whose payers approve the delegate for mandates, and a bench on it. */
export function useBounded() {
  const { world, bench } = useSolana({ isBounded: true });

  async function store(...mandates: readonly MandateDoc[]): Promise<void> {
    await bench.records.insert('mandates', mandates);
  }

  /** A payer who has approved the delegate for mandates, and a stored mandate of theirs. */
  async function mandated(change: Partial<MandateDoc> = {}): Promise<MandateDoc> {
    const mandate = signedMandate(world, await world.payer(), change);
    await store(mandate);
    return mandate;
  }

  /** Charges, and expects that nothing is signed. */
  async function refused(charge: ChargeDoc): Promise<ChargeDoc> {
    await bench.charge(charge);
    await bench.untilState([charge], 'refused', 'final');
    expect(await bench.transactionsOf(charge)).toEqual([]);
    return bench.read(charge);
  }

  /** What was taken from a payer who had a million base units of it. */
  async function taken(wallet: string): Promise<bigint> {
    return MILLION - (await world.balanceOf(wallet));
  }

  return { world, bench, store, mandated, refused, taken };
}
