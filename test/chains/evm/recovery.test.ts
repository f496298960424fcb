import { barrier, onceAt } from '../support/faults.ts';
import { useEvm } from './bench.ts';

/** Tests for EVM only; `test/chains/contract/suite.ts` has those for every chain. */
const { world, bench } = useEvm();

describe('a node that loses or hides transactions', () => {
  it('gets the same bytes again after it dropped a transaction', async () => {
    await bench.start();
    const charge = await bench.newCharge();
    await bench.charge(charge);
    await bench.untilPending(charge);
    const before = await bench.transactionOf(charge);
    const hash = before.versions[0]?.hash;
    await world.rpc('anvil_dropTransaction', [hash]);
    await bench.untilPending(charge);
    world.pump();
    await bench.untilState([charge], 'final');
    // A charge is final before its transaction is.
    await bench.until('its transaction is final', async () => (await bench.transactionOf(charge)).state === 'final');
    expect((await bench.transactionOf(charge)).versions).toEqual(before.versions);
    expect((await bench.read(charge)).txHash).toBe(hash);
    await bench.expectPulledOnce(charge);
  });
});

describe('a reorganisation before the charge is final', () => {
  it('with another result is reported with the last result', async () => {
    const proxy = await bench.proxy();
    const charge = await bench.newCharge();
    await bench.start({ confirmations: 2, rpcUrl: proxy.url });
    await bench.charge(charge);
    await bench.mine(charge);
    await bench.untilState([charge], 'mined');
    proxy.dropsBroadcasts = true;
    await world.reorg(1);
    await world.approve(charge.from, 'mrc_a', 0n);
    proxy.dropsBroadcasts = false;
    await bench.mine(charge);
    await bench.until('its transaction is in a block', async () => {
      const { state, block } = await bench.transactionOf(charge);
      return state === 'mined' && block !== null;
    });
    expect(bench.listener.kinds(charge)).toEqual(['mined']);
    await world.mine();
    await bench.untilState([charge], 'refused');
    expect(bench.listener.of(charge).at(-1)).toEqual({
      kind: 'refused',
      reason: 'insufficient_allowance',
      landed: true,
    });
    await bench.expectNothingPulled(charge);
  });
});

describe('a key that the router already has', () => {
  it('is found by the time of its charge if contracts and node count different blocks', async () => {
    world.pump();
    // So that no blocks of other tests have its second.
    await world.rpc('evm_increaseTime', [10]);
    const { charge } = await bench.madeElsewhere();
    await world.rpc('evm_increaseTime', [10]);
    await world.mine(5);
    const proxy = await bench.proxy();
    let asked = 0;
    proxy.answer('eth_getLogs', (answer, { params }) => {
      if (!JSON.stringify(params).includes(charge.key)) return answer;
      asked += 1;
      return asked === 1 ? { result: [] } : answer;
    });
    await bench.start({ rpcUrl: proxy.url });
    await bench.settle(charge);
    expect(asked).toBeGreaterThan(1);
    await bench.expectPulledOnce(charge);
  });
});

/** The code of a token that its issuer has paused: transfers revert, and the code at `to` does everything else. */
const pausedCode = (to: string): string =>
  `0x5f3560e01c806323b872dd1460455763a9059cbb14604557365f5f375f5f365f73${to.slice(2)}5af43d5f5f3e6041573d5ffd5b3d5ff35b5f5ffd`;

/** Pauses USDC. Returns how to end that. */
async function pauseToken(): Promise<() => Promise<unknown>> {
  const code = await world.anvil.provider.getCode(world.token);
  const sound = world.stranger();
  await world.rpc('anvil_setCode', [sound, code]);
  await world.rpc('anvil_setCode', [world.token, pausedCode(sound)]);
  return () => world.rpc('anvil_setCode', [world.token, code]);
}

describe('a token that its issuer has paused for everybody', () => {
  const timing = { tokensMs: 200 };

  it('fails no charge, is a trouble, delays no other token, and is charged soon after', async () => {
    const usdt = { token: world.usdt };
    const held = await bench.newCharges(3);
    const poor = await bench.newCharge({ from: await world.payer('mrc_a', { balance: 9n }) });
    const other = await bench.newCharge({ ...usdt, from: await world.payer('mrc_a', usdt) });
    const unpause = await pauseToken();
    world.pump();
    const chain = await bench.start({ timing });
    await bench.charge(...held, poor, other);
    await bench.untilState([other], 'final');
    await bench.untilTrouble(chain, `the token ${world.token} lets nobody transfer`);
    expect([...held, poor].flatMap((charge) => bench.listener.of(charge))).toEqual([]);
    await unpause();
    await bench.untilState(held, 'final');
    await bench.untilState([poor], 'refused');
    expect(bench.listener.of(poor)).toEqual([{ kind: 'refused', reason: 'insufficient_balance', landed: false }]);
    await bench.untilWell(chain);
    await bench.expectPulledOnce(...held);
  });

  it('releases the charges of a transaction that the pause overtook', async () => {
    const charges = await bench.newCharges(2);
    let unpause: () => Promise<unknown> = async () => undefined;
    const fault = onceAt('sender.stored.before', async () => {
      unpause = await pauseToken();
    });
    world.pump();
    await bench.start({ timing, fault });
    await bench.charge(...charges);
    for (const charge of charges) await bench.untilReported(charge, 'released');
    await unpause();
    await bench.untilState(charges, 'final');
    expect(charges.flatMap((charge) => bench.listener.kinds(charge))).not.toContain('refused');
    await bench.expectPulledOnce(...charges);
  });
});

describe('a transaction that reverts as a whole', () => {
  it('is reported late by a suspended process as the release that it was, after the charge was taken again', async () => {
    const charge = await bench.newCharge();
    const first = barrier();
    const pause = onceAt('sender.stored.before', () => world.callRouter('pause'));
    await bench.start({
      fault: async (point, detail) => {
        await pause(point);
        if (point === 'reconciler.notify.before' && detail === 'released') await first.reach();
      },
    });
    await bench.send(charge);
    await bench.mine(charge);
    await first.reached;
    try {
      await bench.start();
      await bench.untilState([charge], 'waiting');
      expect((await bench.read(charge)).releases).toBe(1);
      await world.callRouter('unpause');
      await bench.untilState([charge], 'sent');
    } finally {
      first.open();
    }
    await bench.until('both instances have reported the release', () => bench.listener.kinds(charge).length === 2);
    const reported = bench.listener.reported.map(({ charge: { releases }, fact: { kind } }) => [kind, releases]);
    expect(reported).toEqual([
      ['released', undefined],
      ['released', undefined],
    ]);
    expect(await bench.read(charge)).toMatchObject({ state: 'sent', releases: 1 });
  });
});
