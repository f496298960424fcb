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

  it('stays open as a trouble while no event is found', async () => {
    const charge = await madeElsewhere();
    const proxy = await bench.proxy();
    proxy.answer('eth_getLogs', { result: [] });
    const chain = await bench.start({ rpcUrl: proxy.url });
    await bench.charge(charge);
    await bench.untilTrouble(chain, 'event is not found');
    expect((await bench.read(charge)).state).toBe('waiting');
    expect(bench.listener.reported).toEqual([]);
  });

  it('pauses as a trouble while its event is unreadable, and blocks no other charge', async () => {
    const [seen, fresh] = [await madeElsewhere(), await bench.newCharge()];
    const proxy = await bench.proxy();
    proxy.answer('eth_getLogs', { error: { code: -32_000, message: 'history has been pruned for this block' } });
    const chain = await bench.start({ rpcUrl: proxy.url });
    const before = Date.now();
    await bench.charge(seen, fresh);
    await bench.untilState([fresh], 'final');
    expect((await chain.health()).trouble).toContain('event cannot be read: eth_getLogs: history has been pruned');
    const doc = await bench.read(seen);
    expect(doc.state).toBe('waiting');
    expect(doc.notBefore.getTime()).toBeGreaterThanOrEqual(before + 60_000);
    expect(bench.listener.of(seen)).toEqual([]);
    await bench.expectPulledOnce(seen, fresh);
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

  it('put aside a charge that cannot be encoded, and make the others', async () => {
    const good = await bench.newCharges(3);
    const bad = { ...(await bench.newCharge()), key: 'not a key' };
    await bench.charge(bad, ...good);
    await bench.start();
    await bench.untilState(good, 'final');
    expect((await bench.read(bad)).state).toBe('waiting');
  });
});
