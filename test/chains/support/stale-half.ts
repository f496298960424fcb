import { nullIfUnreachable } from '../../../src/chains/rpc.ts';
import { until } from '../../../stage/until.ts';
import type { ChainBench } from './bench.ts';
import type { Called, RpcProxy } from './proxy.ts';

/** Makes the node that these calls get to stop at this block. */
type Freeze = (pool: RpcProxy, block: number, isFrozen: (call: Called) => boolean) => void;

/** Half of the requests, in no simple rhythm, get to one of two nodes at an address, which stopped before approvals. */
export async function expectOnlyNewestRefuses(bench: ChainBench, freeze: Freeze): Promise<void> {
  const { world } = bench;
  const pool = await bench.proxy();
  const chain = await bench.start({ rpcUrl: pool.url });
  const payers = await Promise.all(Array.from({ length: 8 }, () => world.payer('mrc_a', { allowance: 0n })));
  const headAfter = async (block: number): Promise<number> => {
    await bench.until('a newer block was seen', async () => ((await chain.health()).head ?? 0) > block);
    return (await chain.health()).head ?? 0;
  };
  const before = await headAfter(0);
  for (const payer of payers) await world.approve(payer, 'mrc_a', 10_000_000n);
  await headAfter(before + 7);
  const frozen = new Set<unknown>();
  let requests = 0;
  pool.treat = (calls) => {
    requests += 1;
    const ones = requests.toString(2).replaceAll('0', '').length;
    if (ones % 2 === 1) for (const { id } of calls) frozen.add(id);
    return 'pass';
  };
  freeze(pool, before, ({ id }) => frozen.has(id));
  const operator = chain.operatorFor('mrc_a', 'test');
  for (const wallet of payers) {
    const read = { token: world.token, wallet, operator };
    // Other loops ask in between, so all readings of one question may get to the node that is behind.
    const ask = () => chain.readAllowances([read]).catch(nullIfUnreachable);
    const allowances = await until('the newest node answers', ask, (answer) => answer !== null);
    expect(allowances).toMatchObject([{ allowance: 10_000_000n }]);
  }
  world.pump();
  const charges = payers.map((from) => bench.chargeOf({ from }));
  const poor = bench.chargeOf({ from: world.stranger() });
  await bench.charge(...charges, poor);
  await bench.untilState([...charges, poor], 'final', 'refused');
  expect(charges.flatMap((charge) => bench.listener.kinds(charge))).not.toContain('refused');
  await bench.expectPulledOnce(...charges);
  expect(bench.listener.of(poor)).toEqual([{ kind: 'refused', reason: 'insufficient_allowance', landed: false }]);
}
