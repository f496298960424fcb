import { toBase58 } from '../../../src/chains/solana/keys.ts';
import { mandateCharge } from '../support/mandates.ts';
import { useBounded } from './bounded.ts';
import { mention } from './mentions.ts';

/** Anybody can name addresses in their own transactions, for 0.005 SOL a thousand times. */

const { world, bench, mandated, taken, namedBy } = useBounded();

describe('a payer who names addresses of their charges', () => {
  it('delays no charge: 1,001 mentions of all that is public of the first cycle', async () => {
    const mandate = await mandated();
    const [first, second] = [mandateCharge(world, mandate, 1), mandateCharge(world, mandate, 2)];
    await bench.start();
    await bench.settle(first);
    await bench.stop();
    const named = await namedBy(first);
    expect(named).toHaveLength(3);
    const keys = [first, second].map(({ key }) => toBase58(Buffer.from(key.slice(2), 'hex')));
    await mention(world, await world.user.newPayer(1n), [...named, ...keys], 1_001);
    await bench.start();
    await bench.settle(second);
    expect(await taken(mandate.payer)).toBe(20_000_000n);
    // Whoever knows the key of a charge does not know its address.
    const later = world.chain.records.get((await bench.read(second)).txHash ?? '');
    expect(later?.accounts.filter((address) => keys.includes(address))).toEqual([]);
  });
});
