import { encodeChargeMany, routerInterface } from '../../../src/chains/evm/contracts/router.ts';
import { testTokenInterface } from '../../../src/chains/evm/contracts/test-token.ts';
import { toRouterCharge } from '../../../src/chains/evm/router-charge.ts';
import { createLocalSigner } from '../../../src/chains/evm/signer.ts';
import type { ChargeDoc } from '../../../src/store/collections.ts';
import { Bench } from './bench.ts';
import { type RpcProxy, startProxy } from './proxy.ts';
import { MERCHANT, PLATFORM, startWorld, type World, waitingCharge } from './world.ts';

let world: World;
let stopPump: () => void = () => {};
let bench: Bench;
let proxy: RpcProxy | undefined;

beforeAll(async () => {
  world = await startWorld();
  stopPump = world.pump();
});
afterEach(async () => {
  await bench?.stop();
  await proxy?.stop();
  proxy = undefined;
});
afterAll(async () => {
  stopPump();
  await world?.stop();
});

async function started(wish: Parameters<Bench['chain']>[0] = {}): Promise<Bench> {
  bench = new Bench(world);
  await bench.chain(wish).start();
  return bench;
}

/** The number of pulls from each of these payers, which is at most one per key. */
async function pulls(charges: readonly ChargeDoc[], token = world.usdc): Promise<number[]> {
  const transfers = await world.transfers(token);
  return charges.map(({ from }) => transfers.filter((transfer) => transfer.from === from).length);
}

describe('a charge that can be made', () => {
  it('lands with exact shares, is reported mined and final, then finalized', async () => {
    await started();
    const from = await world.payer('mrc_a');
    const split = '0x0000000000000000000000000000000000005911';
    const charge = waitingCharge(world, {
      from,
      gross: 9_999_999n,
      shares: [
        ['forward', MERCHANT, 7_000_000n],
        ['platform', PLATFORM, 99_999n],
        ['split', split, 2_900_000n],
      ],
    });
    await bench.charge(charge);
    await bench.untilState([charge], 'final');
    const doc = await bench.read(charge);
    const { txHash, block } = doc;
    const hashes = {
      pullTxHash: txHash,
      forwardTxHash: txHash,
      platformTransferTxHash: txHash,
      distributeTxHash: txHash,
    };
    expect(bench.listener.of(charge)).toEqual([
      { kind: 'mined', hashes, block },
      { kind: 'final', hashes, block },
    ]);
    const moved = (await world.transfers()).filter((transfer) => transfer.txHash === txHash);
    expect(moved.map(({ from: payer, to, amount }) => [payer, to, amount])).toEqual([
      [from, world.router, 9_999_999n],
      [world.router, MERCHANT, 7_000_000n],
      [world.router, PLATFORM, 99_999n],
      [world.router, split, 2_900_000n],
    ]);
    await world.mine(3);
    await bench.until('it is finalized', () => bench.listener.kinds(charge).includes('finalized'));
    const [transaction] = await bench.records.get('transactions', [doc.transactionId ?? '']);
    await bench.until('its transaction is closed', async () => {
      const [closed] = await bench.records.get('transactions', [transaction?._id ?? '']);
      return closed?.state === 'finalized';
    });
  });

  it('has no hash for a share that it does not have', async () => {
    await started();
    const from = await world.payer('mrc_a');
    const charge = waitingCharge(world, { from, gross: 5n, shares: [['forward', MERCHANT, 5n]] });
    await bench.charge(charge);
    await bench.untilState([charge], 'final');
    expect(bench.listener.of(charge).at(-1)).toMatchObject({
      hashes: { forwardTxHash: expect.any(String), platformTransferTxHash: null, distributeTxHash: null },
    });
  });

  it('is in one transaction with 49 others of several merchants', async () => {
    bench = new Bench(world);
    const merchants = ['mrc_a', 'mrc_b', 'mrc_c', 'mrc_d', 'mrc_e'];
    const charges: ChargeDoc[] = [];
    for (const merchantId of merchants) {
      const from = await world.payer(merchantId);
      for (let n = 0; n < 10; n += 1) charges.push(waitingCharge(world, { from, merchantId, gross: 1_000_000n }));
    }
    await bench.charge(...charges);
    await bench.chain().start();
    await bench.untilState(charges, 'final');
    const docs = await bench.records.get(
      'charges',
      charges.map(({ _id }) => _id),
    );
    expect(new Set(docs.map(({ txHash }) => txHash)).size).toBe(1);
    expect(await pulls(charges)).toEqual(charges.map(() => 10));
    expect(await world.balanceOf(world.router)).toBe(0n);
  });
});

describe('a charge that cannot be made is refused by simulation, for the reason of the real condition', () => {
  const refusals: {
    readonly title: string;
    readonly make: () => Promise<ChargeDoc>;
    readonly fact: object;
  }[] = [
    {
      title: 'no allowance',
      make: async () => waitingCharge(world, { from: await world.payer('mrc_a', { allowance: 0n }) }),
      fact: { kind: 'refused', reason: 'insufficient_allowance', landed: false },
    },
    {
      title: 'an allowance of another merchant',
      make: async () => waitingCharge(world, { from: await world.payer('mrc_b'), merchantId: 'mrc_a' }),
      fact: { kind: 'refused', reason: 'insufficient_allowance', landed: false },
    },
    {
      title: 'an allowance and a balance too small, where the allowance is said',
      make: async () => waitingCharge(world, { from: await world.payer('mrc_a', { allowance: 9n, balance: 9n }) }),
      fact: { kind: 'refused', reason: 'insufficient_allowance', landed: false },
    },
    {
      title: 'an empty wallet',
      make: async () => waitingCharge(world, { from: await world.payer('mrc_a', { balance: 0n }) }),
      fact: { kind: 'refused', reason: 'insufficient_balance', landed: false },
    },
    {
      title: 'a frozen payer',
      make: async () => {
        const from = await world.payer('mrc_a');
        await world.act(world.owner, world.usdc, testTokenInterface.encodeFunctionData('setFrozen', [from, true]));
        return waitingCharge(world, { from });
      },
      fact: { kind: 'refused', reason: 'pull_reverted', landed: false },
    },
    ...(['forward', 'platform', 'split'] as const).map((role) => ({
      title: `a ${role} share that its recipient refuses`,
      make: async () => {
        const to = await world.payer('mrc_x', { balance: 0n, allowance: 0n });
        await world.act(world.owner, world.usdc, testTokenInterface.encodeFunctionData('setRefusing', [to, true]));
        const from = await world.payer('mrc_a');
        return waitingCharge(world, {
          from,
          gross: 3n,
          shares: (['forward', 'platform', 'split'] as const).map((each) => [each, each === role ? to : MERCHANT, 1n]),
        });
      },
      fact: {
        kind: 'undeliverable',
        reason: { forward: 'forward_reverted', platform: 'platform_transfer_reverted', split: 'distribute_reverted' }[
          role
        ],
      },
    })),
  ];

  it.each(refusals)('refuses a charge for $title', async ({ make, fact }) => {
    await started();
    const charge = await make();
    await bench.charge(charge);
    await bench.untilState([charge], 'refused');
    expect(bench.listener.of(charge)).toEqual([fact]);
    expect(bench.listener.started).toEqual([]);
    expect(await pulls([charge])).toEqual([0]);
  });

  it('refuses a charge that others of the same wallet and batch leave nothing for', async () => {
    bench = new Bench(world);
    const [a, b] = [
      await world.payer('mrc_a', { balance: 25_000_000n }),
      await world.payer('mrc_a', { allowance: 15_000_000n }),
    ];
    const ofA = [1, 2, 3].map(() => waitingCharge(world, { from: a }));
    const ofB = [1, 2].map(() => waitingCharge(world, { from: b }));
    await bench.charge(...ofA, ...ofB);
    await bench.chain().start();
    await bench.untilState([...ofA, ...ofB], 'final', 'refused');
    const kinds = [...ofA, ...ofB].map((charge) => bench.listener.of(charge).at(-1));
    const count = (reason: string): number =>
      kinds.filter((fact) => fact && 'reason' in fact && fact.reason === reason).length;
    expect(count('insufficient_balance')).toBe(1);
    expect(count('insufficient_allowance')).toBe(1);
    expect(await pulls([ofA[0], ofB[0]].flatMap((charge) => charge ?? []))).toEqual([2, 1]);
  });
});

describe('a charge that fails between check and pull', () => {
  it.each([
    ['insufficient_allowance', 'approve'],
    ['insufficient_balance', 'transfer'],
  ] as const)('lands refused, and is reported %s when that is final', async (reason, how) => {
    bench = new Bench(world);
    const from = await world.payer('mrc_a');
    const charge = waitingCharge(world, { from });
    stopPump();
    let spoilt = false;
    const chain = bench.chain({
      fault: async (point) => {
        if (point !== 'sender.stored.before' || spoilt) return;
        spoilt = true;
        if (how === 'approve') await world.approve(from, 'mrc_a', 0n);
        else
          await world.act(
            from,
            world.usdc,
            testTokenInterface.encodeFunctionData('transfer', [MERCHANT, 999_999_000_000n]),
          );
      },
    });
    await chain.start();
    await bench.charge(charge);
    await bench.untilState([charge], 'sent');
    stopPump = world.pump();
    await bench.untilState([charge], 'refused');
    expect(bench.listener.of(charge)).toEqual([{ kind: 'refused', reason, landed: true }]);
    expect((await bench.read(charge)).txHash).toEqual(expect.any(String));
  });
});

describe("the payment's answer before signing", () => {
  it('leaves out charges that it does not release, and makes the others', async () => {
    bench = new Bench(world);
    const from = await world.payer('mrc_a');
    const charges = [1, 2, 3].map(() => waitingCharge(world, { from }));
    const [, held] = charges;
    bench.listener.allows = (charge) => charge._id !== held?._id;
    await bench.charge(...charges);
    await bench.chain().start();
    const others = charges.filter((charge) => charge !== held);
    await bench.untilState(others, 'final');
    expect(await pulls(others)).toEqual([2, 2]);
    expect((await bench.read(charges[1] ?? others[0] ?? waitingCharge(world, { from }))).state).toBe('waiting');
    bench.listener.allows = () => true;
    await bench.untilState(charges, 'final');
    expect(await pulls(others)).toEqual([3, 3]);
  });

  it('does not touch a charge that was withdrawn during its simulation', async () => {
    bench = new Bench(world);
    const from = await world.payer('mrc_a');
    const charge = waitingCharge(world, { from });
    const records = bench.records;
    bench.listener.allows = (each) => {
      void records.change('charges', each._id, { state: 'waiting' }, { set: { state: 'withdrawn' } });
      return true;
    };
    await bench.chain().start();
    await bench.charge(charge);
    await bench.until('the payment was asked', () => bench.listener.started.length > 0);
    await bench.untilState([charge], 'withdrawn');
    expect(await pulls([charge])).toEqual([0]);
    expect(await bench.records.count('transactions', {})).toBe(0);
  });
});

describe('a charge that its payment has withdrawn', () => {
  it('is over when its signing queue asks for it', async () => {
    bench = new Bench(world);
    const charge = waitingCharge(world, { from: await world.payer('mrc_a') });
    bench.listener.allows = () => false;
    bench.listener.withdrew = () => true;
    await bench.chain().start();
    await bench.charge(charge);
    await bench.untilState([charge], 'withdrawn');
    expect(await pulls([charge])).toEqual([0]);
    expect(bench.listener.reported).toEqual([]);
  });
});

describe('a key that the router already has', () => {
  it('is reconciled with the ledger from the event of an unknown transaction', async () => {
    const from = await world.payer('mrc_a');
    const [sender] = world.senderKeys;
    const charge = waitingCharge(world, { from });
    const data = encodeChargeMany([toRouterCharge(charge)]);
    await world.act(createLocalSigner(sender ?? '').address, world.router, data);
    await started();
    const asked = charge.shares.map((share) => ({ ...share, amount: '1' }));
    await bench.charge({ ...charge, gross: '2', shares: asked });
    await bench.untilState([charge], 'final');
    const doc = await bench.read(charge);
    expect(doc).toMatchObject({ gross: charge.gross, shares: charge.shares });
    expect(bench.listener.kinds(charge)).toEqual(['mined', 'final']);
    expect(await pulls([charge])).toEqual([1]);
    expect((await world.transfers()).find((transfer) => transfer.from === from)?.txHash).toBe(doc.txHash);
  });

  it('is found by the time of its charge if contracts and node count different blocks', async () => {
    const charge = waitingCharge(world, { from: await world.payer('mrc_a') });
    const sender = createLocalSigner(world.senderKeys[0] ?? '').address;
    await world.act(sender, world.router, encodeChargeMany([toRouterCharge(charge)]));
    await world.mine(5);
    proxy = await startProxy(world.anvil.rpcUrl);
    let hidden = 0;
    proxy.rewrite = (answer, [call]) => {
      if (call?.method !== 'eth_getLogs' || hidden > 0) return answer;
      hidden += 1;
      return { jsonrpc: '2.0', ...(typeof answer === 'object' ? answer : {}), result: [] };
    };
    await started({ rpcUrl: proxy.url });
    await bench.charge(charge);
    await bench.untilState([charge], 'final');
    expect(hidden).toBe(1);
    expect(await pulls([charge])).toEqual([1]);
  });

  it('stays open as a trouble while no event is found', async () => {
    const charge = waitingCharge(world, { from: await world.payer('mrc_a') });
    const sender = createLocalSigner(world.senderKeys[0] ?? '').address;
    await world.act(sender, world.router, encodeChargeMany([toRouterCharge(charge)]));
    proxy = await startProxy(world.anvil.rpcUrl);
    proxy.rewrite = (answer, [call]) =>
      call?.method === 'eth_getLogs' && typeof answer === 'object' ? { ...answer, result: [] } : answer;
    bench = new Bench(world);
    const chain = bench.chain({ rpcUrl: proxy.url });
    await chain.start();
    await bench.charge(charge);
    await bench.until(
      'health shows the trouble',
      async () => (await chain.health()).trouble?.includes('event is not found') ?? false,
    );
    expect((await bench.read(charge)).state).toBe('waiting');
    expect(bench.listener.reported).toEqual([]);
  });

  it('pauses as a trouble while its event is unreadable, and blocks no other charge', async () => {
    const seen = waitingCharge(world, { from: await world.payer('mrc_a') });
    const fresh = waitingCharge(world, { from: await world.payer('mrc_a') });
    const sender = createLocalSigner(world.senderKeys[0] ?? '').address;
    await world.act(sender, world.router, encodeChargeMany([toRouterCharge(seen)]));
    const left = await world.balanceOf(seen.from);
    proxy = await startProxy(world.anvil.rpcUrl);
    proxy.rewriteOne = (answer, { method }) => {
      if (method !== 'eth_getLogs') return answer;
      return { error: { code: -32_000, message: 'history has been pruned for this block' } };
    };
    bench = new Bench(world);
    const chain = bench.chain({ rpcUrl: proxy.url });
    await chain.start();
    const before = Date.now();
    await bench.charge(seen, fresh);
    await bench.untilState([fresh], 'final');
    expect((await chain.health()).trouble).toContain('event cannot be read: eth_getLogs: history has been pruned');
    const doc = await bench.read(seen);
    expect(doc.state).toBe('waiting');
    expect(doc.notBefore.getTime()).toBeGreaterThanOrEqual(before + 60_000);
    expect(bench.listener.reported.filter(({ charge }) => charge._id === seen._id)).toEqual([]);
    expect(await world.balanceOf(seen.from)).toBe(left);
    expect(await pulls([seen, fresh])).toEqual([1, 1]);
  });

  it('is reconciled with the ledger by a later attempt from the transaction of the first', async () => {
    await started();
    const from = await world.payer('mrc_a');
    const first = waitingCharge(world, { from });
    await bench.charge(first);
    await bench.untilState([first], 'final');
    const second = waitingCharge(world, { from, key: first.key, attempt: 2 });
    await bench.charge(second);
    await bench.untilState([second], 'final');
    expect((await bench.read(second)).txHash).toBe((await bench.read(first)).txHash);
    expect(await pulls([first])).toEqual([1]);
  });
});

describe('the queues', () => {
  it('charge 200 from two senders, with every nonce once and no gap', async () => {
    bench = new Bench(world);
    const before = await Promise.all(world.senderKeys.map(countOf));
    const payers = await Promise.all([1, 2, 3, 4].map(() => world.payer('mrc_a')));
    const charges = payers.flatMap((from) =>
      Array.from({ length: 50 }, () => ({ ...waitingCharge(world, { from, gross: 1_000n }), isCycle: true })),
    );
    await bench.charge(...charges);
    await bench.chain({ senders: 2, sizes: { charges: 20 } }).start();
    await bench.untilState(charges, 'final');
    const transactions = await bench.records.find('transactions', { where: {}, limit: 1_000 });
    for (const [index, key] of world.senderKeys.entries()) {
      const { address } = createLocalSigner(key);
      const own = transactions.filter(({ sender }) => sender === address).map(({ nonce }) => nonce);
      const from = before[index] ?? 0;
      expect(own.sort((a, b) => a - b)).toEqual(own.map((_, place) => from + place));
      expect(own.length).toBeGreaterThan(0);
    }
    expect(await pulls(payers.map((from) => waitingCharge(world, { from })))).toEqual([50, 50, 50, 50]);
  });

  it('of one sender in two processes at once charge nothing twice and use no nonce twice', async () => {
    bench = new Bench(world);
    const everybody = { take: async () => true, release: async () => {} };
    const payers = await Promise.all([1, 2].map(() => world.payer('mrc_a')));
    const charges = payers.flatMap((from) => Array.from({ length: 40 }, () => waitingCharge(world, { from })));
    await bench.charge(...charges);
    const sizes = { charges: 5 };
    await Promise.all([1, 2].map(() => bench.chain({ leases: everybody, sizes }).start()));
    await bench.untilState(charges, 'final');
    const transactions = await bench.records.find('transactions', { where: {}, sort: [['nonce', 1]], limit: 1_000 });
    const nonces = transactions.map(({ nonce }) => nonce);
    expect(nonces).toEqual(nonces.map((_, place) => (nonces[0] ?? 0) + place));
    expect(await pulls(payers.map((from) => waitingCharge(world, { from })))).toEqual([40, 40]);
    for (const charge of charges) expect(bench.listener.kinds(charge).filter((kind) => kind === 'refused')).toEqual([]);
  });

  it('wait for gas without starting anything, report it, and continue by themselves', async () => {
    bench = new Bench(world);
    const from = await world.payer('mrc_a');
    const charge = waitingCharge(world, { from });
    const { address } = createLocalSigner(world.senderKeys[0] ?? '');
    const full = await world.anvil.provider.getBalance(address);
    await world.anvil.provider.send('anvil_setBalance', [address, '0x1']);
    const chain = bench.chain();
    await chain.start();
    await bench.charge(charge);
    await bench.until(
      'health shows the trouble',
      async () => (await chain.health()).trouble?.includes('native coin') ?? false,
    );
    expect(bench.listener.started).toEqual([]);
    expect((await bench.read(charge)).state).toBe('waiting');
    await world.anvil.provider.send('anvil_setBalance', [address, `0x${full.toString(16)}`]);
    await bench.untilState([charge], 'final');
    await bench.until('health shows no trouble', async () => (await chain.health()).trouble === null);
  });

  it('wait while the router is paused', async () => {
    bench = new Bench(world);
    const from = await world.payer('mrc_a');
    const charge = waitingCharge(world, { from });
    await world.act(world.owner, world.router, routerInterface.encodeFunctionData('pause'));
    const chain = bench.chain();
    await chain.start();
    await bench.charge(charge);
    await bench.until(
      'health shows the trouble',
      async () => (await chain.health()).trouble?.includes('paused') ?? false,
    );
    expect(bench.listener.reported).toEqual([]);
    await world.act(world.owner, world.router, routerInterface.encodeFunctionData('unpause'));
    await bench.untilState([charge], 'final');
  });

  it('put aside a charge that cannot be encoded, and make the others', async () => {
    bench = new Bench(world);
    const from = await world.payer('mrc_a');
    const good = [1, 2, 3].map(() => waitingCharge(world, { from }));
    const bad = { ...waitingCharge(world, { from }), key: 'not a key' };
    await bench.charge(bad, ...good);
    await bench.chain().start();
    await bench.untilState(good, 'final');
    expect((await bench.read(bad)).state).toBe('waiting');
  });
});

function countOf(key: string): Promise<number> {
  return world.anvil.provider.getTransactionCount(createLocalSigner(key).address, 'latest');
}
