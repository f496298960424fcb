import type { Keypair } from '@solana/web3.js';
import { Delegates } from '../../../src/chains/solana/delegates.ts';
import { rootOfSeed } from '../../../src/chains/solana/key-root.ts';
import type { ChargeDoc, TransactionDoc } from '../../../src/store/collections.ts';
import { type LocalSolana, SolanaUser, startLocalSolana } from '../../support/solana.ts';
import { type Called, type RpcProxy, startProxy } from '../evm/proxy.ts';
import { SolanaBench, solanaCharge } from './bench.ts';

let local: LocalSolana;
let user: SolanaUser;
let bench: SolanaBench;
const proxies: RpcProxy[] = [];

beforeAll(async () => {
  local = await startLocalSolana();
  user = new SolanaUser(local.world);
});
afterEach(async () => {
  local.chain.drop(0);
  await bench?.stop();
  await Promise.all(proxies.splice(0).map((proxy) => proxy.stop()));
});
afterAll(() => local?.stop());

async function node(): Promise<RpcProxy> {
  const proxy = await startProxy(local.rpcUrl);
  proxies.push(proxy);
  return proxy;
}

async function twoNodes() {
  const [first, second] = [await node(), await node()];
  bench = new SolanaBench(local);
  const key = await user.newPayer(100_000_000n);
  await user.approve(
    key,
    new Delegates(rootOfSeed(local.world.operatorSeed)).of({ merchantId: 'mrc_a', mode: 'test' }, false).address,
    2n ** 64n - 1n,
  );
  const chain = bench.chain({ rpcUrl: [first.url, second.url] });
  await chain.start();
  return { first, second, chain, key, charge: solanaCharge(local.world, { from: key.publicKey.toBase58() }) };
}

async function transactionsOf(charge: ChargeDoc): Promise<TransactionDoc[]> {
  return bench.records.find('transactions', { where: { chargeIds: charge._id }, limit: 50 });
}

async function expectPulledOnce(key: Keypair, charge: ChargeDoc): Promise<void> {
  expect(await user.balanceOf(key.publicKey)).toBe(90_000_000n);
  expect(bench.listener.kinds(charge).slice(0, 2)).toEqual(['mined', 'final']);
}

/** The node knows no transaction, but follows the chain. */
function forget(proxy: RpcProxy): void {
  proxy.rewriteOne = (answer, { method, params }) => {
    if (method === 'getSignaturesForAddress') return { ...answer, result: [] };
    if (method !== 'getSignatureStatuses') return answer;
    const asked = Array.isArray(params[0]) ? params[0] : [];
    return { ...answer, result: { ...Object(answer.result), value: asked.map(() => null) } };
  };
}

function isBroadcast({ method }: Called): boolean {
  return method === 'sendTransaction';
}

describe('of two Solana nodes', () => {
  it('the second is asked while the first does not answer, and health shows it', async () => {
    const { first, chain, key, charge } = await twoNodes();
    first.treat = () => 'drop';
    await bench.charge(charge);
    await bench.untilState([charge], 'final');
    await expectPulledOnce(key, charge);
    await bench.until(
      'health shows the trouble',
      async () => (await chain.health()).trouble?.includes(`no answer from ${new URL(first.url).host}`) ?? false,
    );
    first.treat = () => 'pass';
    await bench.until('health shows no trouble', async () => (await chain.health()).trouble === null);
  });

  it('one of another chain gets nothing', async () => {
    const { first, second, chain, key, charge } = await twoNodes();
    await bench.stop();
    first.rewriteOne = (answer, { method }) =>
      method === 'getGenesisHash' ? { ...answer, result: '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY' } : answer;
    const other = bench.chain({ rpcUrl: [first.url, second.url] });
    await other.start();
    await bench.charge(charge);
    await bench.untilState([charge], 'final');
    await expectPulledOnce(key, charge);
    expect(first.seen.some(isBroadcast)).toBe(false);
    expect((await other.health()).trouble).toContain(`the node at ${new URL(first.url).host} is of the chain 4uhc`);
    expect(chain.chainId).toBe(other.chainId);
  });

  it('both get every transaction, so that a node that drops it changes nothing', async () => {
    const { first, key, charge } = await twoNodes();
    first.replace = (call) => (isBroadcast(call) ? null : call);
    first.rewriteOne = (answer, call) => (isBroadcast(call) ? { ...answer, result: '1'.repeat(64) } : answer);
    await bench.charge(charge);
    await bench.untilState([charge], 'final');
    await expectPulledOnce(key, charge);
  });

  it('one that does not know a charge does not let it expire, and it is not signed again', async () => {
    const { first, key, charge } = await twoNodes();
    forget(first);
    await bench.charge(charge);
    await bench.untilState([charge], 'final', 'sent');
    await bench.until('it has landed', async () => (await user.balanceOf(key.publicKey)) === 90_000_000n);
    local.chain.skip(150 + 32 + 2);
    const asked = async () => (await transactionsOf(charge))[0]?.asked ?? 0;
    const before = await asked();
    // If the first node is too slow to answer, the second one is asked, and shows the charge.
    const isFinal = async () => (await bench.read(charge)).state === 'final';
    const isAskedOften = async () => (await asked()) >= before + 4;
    await bench.until(
      'the node was asked about it several times',
      async () => (await isAskedOften()) || (await isFinal()),
    );
    expect(bench.listener.kinds(charge)).not.toContain('released');
    first.rewriteOne = (answer) => answer;
    await bench.untilState([charge], 'final');
    expect(await transactionsOf(charge)).toHaveLength(1);
    await expectPulledOnce(key, charge);
  });

  it('the other is asked for a transaction that the first lists but does not show', async () => {
    const made = await twoNodes();
    await bench.charge(made.charge);
    await bench.untilState([made.charge], 'final');
    const { txHash } = await bench.read(made.charge);
    await bench.stop();
    bench = new SolanaBench(local);
    made.first.rewriteOne = (answer, { method }) =>
      method === 'getTransaction' ? { ...answer, result: null } : answer;
    await bench.chain({ rpcUrl: [made.first.url, made.second.url] }).start();
    await bench.charge(made.charge);
    await bench.untilState([made.charge], 'final');
    expect((await bench.read(made.charge)).txHash).toBe(txHash);
    await expectPulledOnce(made.key, made.charge);
  });
});
