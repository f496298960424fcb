import { encodeChargeMany } from '../../../src/chains/evm/contracts/router.ts';
import { toRouterCharge } from '../../../src/chains/evm/router-charge.ts';
import type { ChargeDoc } from '../../../src/store/collections.ts';
import { EVERYBODY } from '../support/faults.ts';
import { useEvm } from './bench.ts';
import { MERCHANT, PLATFORM } from './world.ts';

/** Tests for EVM only; `test/chains/contract/suite.ts` has those for every chain. */
const { world, bench } = useEvm({ pumps: true });

describe('a charge that can be made', () => {
  it('passes its shares on through the router, and its transaction is closed when it is finalized', async () => {
    await bench.start();
    const split = world.stranger();
    const charge = await bench.newCharge({
      gross: 9_999_999n,
      shares: [
        ['forward', MERCHANT, 7_000_000n],
        ['platform', PLATFORM, 99_999n],
        ['split', split, 2_900_000n],
      ],
    });
    await bench.settle(charge);
    const { txHash } = await bench.read(charge);
    const moved = (await world.transfers()).filter((transfer) => transfer.txHash === txHash);
    expect(moved.map(({ from, to, amount }) => [from, to, amount])).toEqual([
      [charge.from, world.router, 9_999_999n],
      [world.router, MERCHANT, 7_000_000n],
      [world.router, PLATFORM, 99_999n],
      [world.router, split, 2_900_000n],
    ]);
    await world.finalize();
    await bench.until('its transaction is closed', async () => {
      return (await bench.transactionOf(charge)).state === 'finalized';
    });
  });

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

  it('is reconciled with the ledger from the event of an unknown transaction', async () => {
    const charge = await madeElsewhere();
    await bench.start();
    const asked = charge.shares.map((share) => ({ ...share, amount: '1' }));
    await bench.settle({ ...charge, gross: '2', shares: asked });
    const doc = await bench.read(charge);
    expect(doc).toMatchObject({ gross: charge.gross, shares: charge.shares });
    expect(bench.listener.kinds(charge)).toEqual(['mined', 'final']);
    expect(await world.movedFrom(charge.from)).toMatchObject([{ txHash: doc.txHash }]);
  });

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
  const chargesOf = (payers: readonly string[], count: number): ChargeDoc[] =>
    payers.flatMap((from) => Array.from({ length: count }, () => bench.chargeOf({ from, gross: 1_000n })));

  it('charge 200 from two senders, with every nonce once and no gap', async () => {
    const before = await Promise.all(world.senders.map((each) => world.anvil.provider.getTransactionCount(each)));
    const payers = await Promise.all([1, 2, 3, 4].map(() => world.payer('mrc_a')));
    const charges = chargesOf(payers, 50).map((charge) => ({ ...charge, isCycle: true }));
    await bench.charge(...charges);
    await bench.start({ senders: 2, charges: 20 });
    await bench.untilState(charges, 'final');
    for (const [index, sender] of world.senders.entries()) {
      const nonces = (await bench.transactions({ sender })).map(({ nonce }) => nonce);
      expect(nonces.length).toBeGreaterThan(0);
      expect(nonces).toEqual(nonces.map((_, place) => (before[index] ?? 0) + place));
    }
    await bench.expectPulledOnce(...charges);
  });

  it('of one sender in two processes at once charge nothing twice and use no nonce twice', async () => {
    const payers = await Promise.all([1, 2].map(() => world.payer('mrc_a')));
    const charges = chargesOf(payers, 40);
    await bench.charge(...charges);
    await Promise.all([1, 2].map(() => bench.start({ leases: EVERYBODY, charges: 5 })));
    await bench.untilState(charges, 'final');
    const nonces = (await bench.transactions()).map(({ nonce }) => nonce);
    expect(nonces).toEqual(nonces.map((_, place) => (nonces[0] ?? 0) + place));
    await bench.expectPulledOnce(...charges);
    for (const charge of charges) expect(bench.listener.kinds(charge)).not.toContain('refused');
  });

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
