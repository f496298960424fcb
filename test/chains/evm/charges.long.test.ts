import { encodeChargeMany } from '../../../src/chains/evm/contracts/router.ts';
import { toRouterCharge } from '../../../src/chains/evm/router-charge.ts';
import type { ChargeDoc } from '../../../src/store/collections.ts';
import { useEvm } from './bench.ts';

/** Tests for EVM only; `test/chains/contract/suite.ts` has those for every chain. */
const { world, bench } = useEvm({ pumps: true });

describe('a charge that can be made', () => {
  it('is in one transaction with 49 others of several merchants', async () => {
    const charges: ChargeDoc[] = [];
    for (const merchantId of ['mrc_a', 'mrc_b', 'mrc_c', 'mrc_d', 'mrc_e']) {
      const from = await world.payer(merchantId);
      for (let n = 0; n < 10; n += 1) charges.push(bench.chargeOf({ from, merchantId, gross: 1_000_000n }));
    }
    await bench.charge(...charges);
    await bench.start();
    await bench.untilState(charges, 'final');
    const docs = await Promise.all(charges.map((charge) => bench.read(charge)));
    expect(new Set(docs.map(({ txHash }) => txHash)).size).toBe(1);
    await bench.expectPulledOnce(...charges);
    expect(await world.balanceOf(world.router)).toBe(0n);
  });
});

describe('a key that the router already has', () => {
  /** Another process has made this charge, and the ledger lacks it. */
  async function madeElsewhere(): Promise<ChargeDoc> {
    const charge = await bench.newCharge();
    await world.act(world.senders[0] ?? '', world.router, encodeChargeMany([toRouterCharge(charge)]));
    return charge;
  }

  it('is found by the time of its charge if contracts and node count different blocks', async () => {
    const charge = await madeElsewhere();
    await world.mine(5);
    const proxy = await bench.proxy();
    let hidden = 0;
    proxy.answer('eth_getLogs', (answer) => {
      hidden += 1;
      return hidden === 1 ? { result: [] } : answer;
    });
    await bench.start({ rpcUrl: proxy.url });
    await bench.settle(charge);
    expect(hidden).toBeGreaterThan(1);
    await bench.expectPulledOnce(charge);
  });
});

describe('the queues', () => {
  it('wait while the router is paused', async () => {
    const charge = await bench.newCharge();
    await world.callRouter('pause');
    const chain = await bench.start();
    await bench.charge(charge);
    await bench.untilTrouble(chain, 'paused');
    expect(bench.listener.reported).toEqual([]);
    await world.callRouter('unpause');
    await bench.untilState([charge], 'final');
  });
});
