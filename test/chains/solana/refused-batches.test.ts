import { Delegates } from '../../../src/chains/solana/delegates.ts';
import { rootOfSeed } from '../../../src/chains/solana/key-root.ts';
import { type LocalSolana, SolanaUser, startLocalSolana } from '../../support/solana.ts';
import { BATCH_REFUSALS, type RpcProxy, refuseAbove, refuseBatches, startProxy } from '../evm/proxy.ts';
import { SolanaBench, solanaCharge } from './bench.ts';

/** From 100 calls by halves down to three. */
const PROBES = 5;

let local: LocalSolana;
let user: SolanaUser;
let bench: SolanaBench;
let proxy: RpcProxy;

beforeAll(async () => {
  local = await startLocalSolana();
  user = new SolanaUser(local.world);
});
afterEach(async () => {
  await bench?.stop();
  await proxy?.stop();
});
afterAll(() => local?.stop());

describe('a Solana provider that refuses batches of more than three calls', () => {
  it.each(BATCH_REFUSALS)('still lets charges settle, and its size is remembered (%s)', async (form) => {
    bench = new SolanaBench(local);
    proxy = await startProxy(local.rpcUrl);
    const refused = refuseBatches(proxy, form);
    const chain = bench.chain({ rpcUrl: proxy.url });
    await chain.start();
    const payer = await user.newPayer(100_000_000n);
    await user.approve(
      payer,
      new Delegates(rootOfSeed(local.world.operatorSeed)).of({ merchantId: 'mrc_a', mode: 'test' }, false).address,
      2n ** 64n - 1n,
    );
    const charge = () => solanaCharge(local.world, { from: payer.publicKey.toBase58() });
    const first = charge();
    await bench.charge(first);
    await bench.untilState([first], 'final');
    expect(refused.count).toBeGreaterThan(0);
    expect(refused.count).toBeLessThanOrEqual(PROBES * 4);
    const known = refused.count;
    const second = charge();
    await bench.charge(second);
    await bench.untilState([second], 'final');
    expect(await user.balanceOf(payer.publicKey)).toBe(80_000_000n);
    expect(refused.count).toBe(known);
    expect((await chain.health()).trouble).toBeNull();
  });
});

describe('a Solana provider that gives few accounts or statuses in a call', () => {
  it.each([
    ['getMultipleAccounts', 'Too many inputs provided; max 1'],
    ['getSignatureStatuses', 'Too many inputs provided; max 1'],
  ])('still lets charges settle, and its number is remembered (%s)', async (method, message) => {
    bench = new SolanaBench(local);
    proxy = await startProxy(local.rpcUrl);
    const refused = refuseAbove(proxy, { method, most: 1, message });
    const chain = bench.chain({ rpcUrl: proxy.url });
    const payer = await user.newPayer(100_000_000n);
    await user.approve(
      payer,
      new Delegates(rootOfSeed(local.world.operatorSeed)).of({ merchantId: 'mrc_a', mode: 'test' }, false).address,
      2n ** 64n - 1n,
    );
    const charges = () => [0, 1, 2].map(() => solanaCharge(local.world, { from: payer.publicKey.toBase58() }));
    const first = charges();
    for (const charge of first) await bench.charge(charge);
    await chain.start();
    await bench.untilState(first, 'final');
    expect(refused.count).toBeGreaterThan(0);
    const known = refused.count;
    const second = charges();
    for (const charge of second) await bench.charge(charge);
    await bench.untilState(second, 'final');
    expect(await user.balanceOf(payer.publicKey)).toBe(40_000_000n);
    expect(refused.count).toBe(known);
    expect((await chain.health()).trouble).toBeNull();
  });
});
