import type { ChargeDoc } from '../../../src/store/collections.ts';
import type { World } from './world.ts';

/** By the chain's Transfer logs, each of these charges, from different payers, has moved its amount once. */
export async function expectPulledOnce(world: World, ...charges: readonly ChargeDoc[]): Promise<void> {
  const transfers = await world.transfers();
  for (const { from, gross } of charges) {
    const pulls = transfers.filter((transfer) => transfer.from === from);
    expect(pulls.map(({ amount }) => amount)).toEqual([BigInt(gross)]);
  }
}
