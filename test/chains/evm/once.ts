import type { ChargeDoc } from '../../../src/store/collections.ts';
import type { World } from './world.ts';

/** Each of these charges, of a payer of its own, has moved its amount once: what the chain's Transfer logs say. */
export async function expectPulledOnce(world: World, ...charges: readonly ChargeDoc[]): Promise<void> {
  const transfers = await world.transfers();
  for (const { from, gross } of charges) {
    const pulls = transfers.filter((transfer) => transfer.from === from);
    expect(pulls.map(({ amount }) => amount)).toEqual([BigInt(gross)]);
  }
}
