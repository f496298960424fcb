import { inspect } from 'node:util';
import { getCreateAddress, hashMessage, Transaction, Wallet, ZeroAddress } from 'ethers';
import { z } from 'zod';
import { MULTICALL3_CODE } from '../../../devnet/evm-multicall.ts';
import { silentLog } from '../../../scripts/lib/silent-log.ts';
import { AllowanceReader } from '../../../src/chains/evm/allowances.ts';
import { operatorAddress } from '../../../src/chains/evm/contracts/router.ts';
import { testTokenInterface } from '../../../src/chains/evm/contracts/test-token.ts';
import { feesOf } from '../../../src/chains/evm/fees.ts';
import { EvmLink } from '../../../src/chains/evm/link.ts';
import { decodeAggregate3, encodeAggregate3, MULTICALL3 } from '../../../src/chains/evm/multicall.ts';
import { judge } from '../../../src/chains/evm/reconciler/agree.ts';
import { readBroadcast } from '../../../src/chains/evm/sender/broadcast.ts';
import { createLocalSigner } from '../../../src/chains/evm/signer.ts';
import { Loop } from '../../../src/chains/loop.ts';
import { classify } from '../../../src/chains/node-errors.ts';
import { nextAskMs } from '../../../src/chains/reconciler/reconciler.ts';
import { JsonRpc, NodeRefused, NodeUnreachable } from '../../../src/chains/rpc.ts';
import { chainTiming } from '../../../src/chains/timing.ts';
import { Troubles } from '../../../src/chains/troubles.ts';
import type { WatchDoc } from '../../../src/store/collections.ts';
import { storeLeases } from '../../../src/store/leases.ts';
import { openMemoryStore } from '../../../src/store/memory/store.ts';
import { merchantOf } from '../../store/support/documents.ts';
import { testArtifacts } from '../contracts/test-artifacts.ts';
import { Bench } from './bench.ts';
import { type RpcProxy, startProxy } from './proxy.ts';
import { coder, MERCHANT, startWorld, type World, waitingCharge } from './world.ts';

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

/** The call for a token's symbol. */
const SYMBOL = testTokenInterface.encodeFunctionData('symbol');

function linkTo(rpc: JsonRpc): EvmLink {
  const { chainId, router } = world;
  return new EvmLink({
    chainId,
    routers: [router],
    tokens: [],
    rpcs: [rpc],
    timing: chainTiming(50),
    tipMax: 50_000_000_000n,
    troubles: new Troubles(),
    clock: () => new Date(),
    log: silentLog,
  });
}

describe('the checks before any signature', () => {
  it.each([
    ['another chain', { chainId: 1 }, 'is of chain 31337, expected 1'],
    ['no router', { routers: [getCreateAddress({ from: ZeroAddress, nonce: 0 })] }, 'There is no contract at'],
  ] as const)('%s: the charges wait, and health shows why', async (_title, change, sentence) => {
    bench = new Bench('chainId' in change ? { ...world, ...change } : world);
    const chain = bench.chain('routers' in change ? change : {});
    await chain.start();
    const charge = waitingCharge(bench.world, { from: await world.payer('mrc_a') });
    await bench.charge(charge);
    await bench.until(
      'health shows the trouble',
      async () => (await chain.health()).trouble?.includes(sentence) ?? false,
    );
    expect((await bench.read(charge)).state).toBe('waiting');
    expect(bench.listener.reported).toEqual([]);
  });

  it('a router with different code', async () => {
    bench = new Bench(world);
    const chain = bench.chain({ routers: [world.usdc] });
    await chain.start();
    await bench.until(
      'health shows the trouble',
      async () => (await chain.health()).trouble?.includes('is not the code of') ?? false,
    );
  });

  it('disable a token that differs, and no other', async () => {
    bench = new Bench(world);
    const chain = bench.chain({ symbols: ['EURC'] });
    await chain.start();
    const differing = waitingCharge(world, { from: await world.payer('mrc_a') });
    const fine = waitingCharge(world, { from: await world.payer('mrc_a', { token: world.usdt }), token: world.usdt });
    await bench.charge(differing, fine);
    await bench.untilState([fine], 'final');
    expect((await bench.read(differing)).state).toBe('waiting');
    expect((await chain.health()).trouble).toContain(
      'usdc-test is not enabled: its contract says USDC with 6 decimals',
    );
  });

  it("enable a token when the node's answer matches the catalog again", async () => {
    bench = new Bench(world);
    proxy = await startProxy(world.anvil.rpcUrl);
    let isAtFault = true;
    proxy.rewriteOne = (answer, { method, params }) => {
      const isOfSymbol = method === 'eth_call' && JSON.stringify(params).includes(SYMBOL);
      return isAtFault && isOfSymbol
        ? { id: answer.id, error: { code: -32_000, message: 'header not found' } }
        : answer;
    };
    const chain = bench.chain({ rpcUrl: proxy.url, timing: { tokensMs: 50 } });
    await chain.start();
    const charge = waitingCharge(world, { from: await world.payer('mrc_a') });
    await bench.charge(charge);
    await bench.until(
      'health shows the trouble',
      async () => (await chain.health()).trouble?.includes('says no symbol') ?? false,
    );
    isAtFault = false;
    await bench.untilState([charge], 'final');
    expect((await chain.health()).trouble).toBeNull();
  });

  it('disable a chain without router or sender key, which knows no operators without a router', async () => {
    bench = new Bench(world);
    const chain = bench.chain({ routers: [] });
    expect(chain.enabled).toBe(false);
    expect(() => chain.operatorFor('mrc_a', 'test')).toThrow(`ROUTER_${world.chainId} is not configured`);
    expect((await chain.health()).trouble).toBe(`ROUTER_${world.chainId} is not configured`);
    expect(bench.chain({ senders: 0 }).enabled).toBe(false);
    expect(await bench.chain({ senders: 0 }).health()).toMatchObject({ trouble: 'no sender key is configured' });
    expect(() => bench.chain({ routers: ['0x12'] })).toThrow(`ROUTER_${world.chainId} is no address`);
  });
});

describe('addresses', () => {
  it('of operators are known before they exist on the chain', () => {
    bench = new Bench(world);
    const chain = bench.chain();
    expect(chain.operatorFor('mrc_new', 'test')).toBe(operatorAddress(world.router, 'mrc_new', 'test'));
    expect(chain.operatorFor('mrc_new', 'live')).not.toBe(chain.operatorFor('mrc_new', 'test'));
  });

  it('are checksummed, and refused if they are invalid, wrongly checksummed or zero', () => {
    bench = new Bench(world);
    const chain = bench.chain();
    const { address } = Wallet.createRandom();
    expect(chain.parseAddress(address.toLowerCase())).toBe(address);
    expect(chain.parseAddress(`0x${address.slice(2).toUpperCase()}`)).toBe(address);
    const swapped = [...address]
      .map((c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase()))
      .join('')
      .slice(2);
    for (const wrong of [
      `0x${swapped}`,
      ZeroAddress,
      'XE7338O073KYGTWWZN0F2WZ0R8PX5ZPPZS',
      '0x',
      address.slice(0, 41),
      '',
    ]) {
      expect([wrong, chain.parseAddress(wrong)]).toEqual([wrong, null]);
    }
  });
});

describe('allowances', () => {
  it('are read in one request, in the given order, with and without Multicall3', async () => {
    bench = new Bench(world);
    const rich = await world.payer('mrc_a', { allowance: 7n, balance: 9n });
    const poor = await world.payer('mrc_a', { allowance: 0n, balance: 0n });
    const operator = operatorAddress(world.router, 'mrc_a', 'test');
    const reads = Array.from({ length: 150 }, (_, index) => ({
      token: world.usdc,
      wallet: index % 2 === 0 ? rich : poor,
      operator: index % 3 === 0 ? operator : world.owner,
    }));
    const expected = reads.map(({ wallet, operator: spender }) => ({
      allowance: wallet === rich && spender === operator ? 7n : 0n,
      balance: wallet === rich ? 9n : 0n,
    }));
    const block = await world.anvil.provider.getBlockNumber();
    expect(await bench.chain().readAllowances(reads)).toEqual(expected.map((state) => ({ ...state, block })));
    await putMulticall();
    proxy = await startProxy(world.anvil.rpcUrl);
    const rpc = new JsonRpc({ url: proxy.url, timeoutMs: 2_000, batchMax: 100 });
    expect(await new AllowanceReader(linkTo(rpc), 500).read(reads)).toEqual(expected);
    expect(proxy.seen.map(({ method }) => method).slice(-2)).toEqual(['eth_getCode', 'eth_call']);
    await rpc.close();
  });

  it('are not zero if the node does not answer or the token returns no number', async () => {
    bench = new Bench(world);
    const read = { token: world.usdc, wallet: world.owner, operator: world.router };
    const dead = bench.chain({ rpcUrl: 'http://127.0.0.1:9' });
    await expect(dead.readAllowances([read])).rejects.toThrow(NodeUnreachable);
    const rpc = new JsonRpc({ url: world.anvil.rpcUrl, timeoutMs: 2_000, batchMax: 100 });
    const reader = new AllowanceReader(linkTo(rpc), 500);
    await expect(reader.read([{ ...read, token: world.router }])).rejects.toThrow('gives no number');
    await rpc.close();
    expect(await bench.chain().readAllowances([])).toEqual([]);
  });

  it("are decoded from Multicall3's answers, failed calls included", async () => {
    await putMulticall();
    const calls = [
      { to: world.usdc, data: testTokenInterface.encodeFunctionData('symbol') },
      { to: world.usdc, data: '0xdeadbeef' },
      { to: world.usdc, data: testTokenInterface.encodeFunctionData('decimals') },
    ];
    const call = { to: MULTICALL3, data: encodeAggregate3(calls) };
    const answer = String(await world.anvil.provider.send('eth_call', [call, 'latest']));
    const [symbol, nothing, decimals] = decodeAggregate3(answer, 3);
    expect(testTokenInterface.decodeFunctionResult('symbol', symbol ?? '')[0]).toBe('USDC');
    expect(nothing).toBeNull();
    expect(BigInt(decimals ?? 0)).toBe(6n);
    expect(() => decodeAggregate3(answer, 2)).toThrow('2 results');
    expect(() => decodeAggregate3(answer.slice(0, -128), 3)).toThrow();
  });
});

describe('a contract wallet', () => {
  it('confirms its own signatures, and another contract does not', async () => {
    const { ContractWallet } = await testArtifacts();
    const owner = Wallet.createRandom();
    const deployment = ContractWallet.bytecode + coder.encode(['address'], [owner.address]).slice(2);
    const nonce = Number(await world.anvil.provider.send('eth_getTransactionCount', [world.owner, 'latest']));
    const wallet = getCreateAddress({ from: world.owner, nonce });
    await world.act(world.owner, null, deployment);
    bench = new Bench(world);
    const chain = bench.chain();
    const digest = hashMessage('a text');
    const signature = await owner.signMessage('a text');
    expect(await chain.acceptsSignature(wallet, digest, signature)).toBe(true);
    expect(await chain.acceptsSignature(wallet, hashMessage('another'), signature)).toBe(false);
    expect(await chain.acceptsSignature(wallet, digest, '0x')).toBe(false);
    for (const other of [owner.address, world.usdc, world.router]) {
      expect(await chain.acceptsSignature(other, digest, signature)).toBe(false);
    }
  }, 120_000);

  it('is not taken to refuse if the node does not answer', async () => {
    bench = new Bench(world);
    const chain = bench.chain({ rpcUrl: 'http://127.0.0.1:9' });
    await expect(chain.acceptsSignature(MERCHANT, hashMessage(''), '0x')).rejects.toThrow(NodeUnreachable);
  });
});

describe('the log watcher', () => {
  function watch(wallet: string, changes: Partial<WatchDoc> = {}): WatchDoc {
    return {
      _id: `sub_${wallet}`,
      merchantId: 'mrc_a',
      mode: 'test',
      chainId: world.chainId,
      token: world.usdc,
      operator: operatorAddress(world.router, 'mrc_a', 'test'),
      wallet: wallet.toLowerCase(),
      lookAt: null,
      looks: 0,
      createdAt: new Date(),
      ...changes,
    };
  }

  it('gets an approval of a watched operator and an arrival at a watched wallet, each once', async () => {
    bench = new Bench(world);
    const payer = await world.payer('mrc_a', { allowance: 0n, balance: 0n });
    const stranger = await world.payer('mrc_b', { allowance: 0n });
    await bench.records.insert('watches', [watch(payer)]);
    await bench.chain().start();
    await world.approve(payer, 'mrc_b', 5n);
    await world.approve(payer, 'mrc_a', 5n);
    await bench.until('the approval is reported', () => bench.listener.wallets.length > 0);
    expect(bench.listener.wallets).toEqual([payer.toLowerCase()]);
    await world.mint(stranger, 1n);
    await world.mint(payer, 1n);
    await bench.until('the arrival is reported', () => bench.listener.wallets.length > 1);
    await world.mine(3);
    await untilCursor(await world.anvil.provider.getBlockNumber());
    expect(bench.listener.wallets).toEqual([payer.toLowerCase(), payer.toLowerCase()]);
  });

  it("reports every approval of a merchant's operator of this service, watched or not", async () => {
    bench = new Bench(world);
    const payer = await world.payer('mrc_a', { allowance: 0n });
    await bench.chain().start();
    await untilCursor(await world.anvil.provider.getBlockNumber());
    const reported = () => bench.listener.allowances.filter(({ wallet }) => wallet === payer.toLowerCase());
    await world.approve(payer, 'mrc_of_another_service', 5n);
    await world.approve(payer, 'mrc_a', 5n);
    await bench.until('the approval is reported', () => reported().length === 1);
    await world.approve(payer, 'mrc_a', 0n);
    await bench.records.insert('merchants', [merchantOf('mrc_new')]);
    await world.approve(payer, 'mrc_new', 7n);
    await bench.until('all three approvals are reported', () => reported().length === 3);
    await world.mine(3);
    await untilCursor(await world.anvil.provider.getBlockNumber());
    const of = { mode: 'test', chainId: world.chainId, token: world.usdc };
    expect(reported()).toEqual(
      ['mrc_a', 'mrc_a', 'mrc_new'].map((merchantId) => expect.objectContaining({ merchantId, ...of })),
    );
    const blocks = reported().map(({ block }) => block ?? 0);
    expect(blocks).toEqual([...new Set(blocks)].sort((one, other) => one - other));
  });

  it('reads for a watch that is added later, and continues after a restart', async () => {
    bench = new Bench(world);
    const [early, late] = [
      await world.payer('mrc_a', { allowance: 0n }),
      await world.payer('mrc_a', { allowance: 0n }),
    ];
    const first = bench.chain({ sizes: { logOverlap: 1 } });
    await first.start();
    await untilCursor(await world.anvil.provider.getBlockNumber());
    await bench.records.insert('watches', [watch(early)]);
    await world.approve(early, 'mrc_a', 1n);
    await bench.until('the approval is reported', () => bench.listener.wallets.includes(early.toLowerCase()));
    await bench.records.insert('watches', [watch(late)]);
    await first.stop();
    await world.approve(late, 'mrc_a', 1n);
    await world.mine(20);
    expect(bench.listener.wallets).not.toContain(late.toLowerCase());
    await bench.chain({ sizes: { logOverlap: 1, logBlocks: 3 } }).start();
    await bench.until('the approval is reported', () => bench.listener.wallets.includes(late.toLowerCase()));
    await untilCursor(await world.anvil.provider.getBlockNumber());
  });

  it('reads again after a reorganisation', async () => {
    bench = new Bench(world);
    const payer = await world.payer('mrc_a', { allowance: 0n });
    await bench.records.insert('watches', [watch(payer)]);
    await bench.chain({ sizes: { logOverlap: 8 } }).start();
    await world.mine();
    await untilCursor(await world.anvil.provider.getBlockNumber());
    const operator = operatorAddress(world.router, 'mrc_a', 'test');
    const data = testTokenInterface.encodeFunctionData('approve', [operator, 3n]);
    await world.anvil.provider.send('anvil_reorg', [2, [[{ from: payer, to: world.usdc, data }, 0]]]);
    await bench.until('the approval is reported', () => bench.listener.wallets.includes(payer.toLowerCase()));
  });

  it('requests less if the node allows no more, and waits until the listener has accepted the logs', async () => {
    bench = new Bench(world);
    const payer = await world.payer('mrc_a', { allowance: 0n });
    await bench.records.insert('watches', [watch(payer)]);
    const head = await world.anvil.provider.getBlockNumber();
    await bench.records.insert('chainCursors', [{ _id: String(world.chainId), block: head, updatedAt: new Date() }]);
    await world.approve(payer, 'mrc_a', 1n);
    await world.mine(40);
    const end = await world.anvil.provider.getBlockNumber();
    proxy = await startProxy(world.anvil.rpcUrl);
    const ranges: number[] = [];
    proxy.treat = (calls) => {
      for (const { method, params } of calls) if (method === 'eth_getLogs') ranges.push(rangeOf(params[0]));
      return 'pass';
    };
    proxy.rewrite = (answer) => ((ranges.at(-1) ?? 0) > 10 ? refuseAll(answer) : answer);
    let failures = 2;
    const changed = bench.listener.walletsChanged.bind(bench.listener);
    bench.listener.walletsChanged = async (chainId, wallets) => {
      failures -= 1;
      if (failures >= 0) throw new Error('not now');
      await changed(chainId, wallets);
    };
    await bench.chain({ rpcUrl: proxy.url, sizes: { logOverlap: 1 } }).start();
    await untilCursor(end);
    expect(bench.listener.wallets).toEqual([payer.toLowerCase()]);
    expect(Math.max(...ranges)).toBeGreaterThan(10);
  });

  it.each([
    [-32701, 'Please specify an address in your request', 'eth_getLogs: Please specify an address'],
    [-32000, 'not on this plan', 'eth_getLogs: not on this plan'],
  ])(
    "continues with the catalog's tokens if the node gives no logs of every contract (%s %s), and logs it",
    async (code, message, said) => {
      bench = new Bench(world);
      const [payer, deposit] = [await world.payer('mrc_a', { allowance: 0n }), await world.payer('mrc_b')];
      await bench.records.insert('watches', [watch(payer), watch(deposit, { operator: null })]);
      proxy = await startProxy(world.anvil.rpcUrl);
      let refused = 0;
      proxy.rewriteOne = (answer, { method, params: [filter] }) => {
        if (method !== 'eth_getLogs' || Object.hasOwn(z.looseObject({}).parse(filter), 'address')) return answer;
        refused += 1;
        return { id: answer.id, error: { code, message } };
      };
      const chain = bench.chain({ rpcUrl: proxy.url });
      await chain.start();
      await untilCursor(await world.anvil.provider.getBlockNumber());
      await world.approve(payer, 'mrc_a', 1n);
      await world.mint(deposit, 1n);
      await bench.until('both wallets are reported', () => new Set(bench.listener.wallets).size === 2);
      const before = refused;
      expect(before).toBeGreaterThan(0);
      expect((await chain.health()).trouble).toContain(said);
      await world.mine(3);
      await untilCursor(await world.anvil.provider.getBlockNumber());
      expect(refused).toBe(before);
    },
  );

  it('does not take a missing block for a refusal of every contract', async () => {
    bench = new Bench(world);
    const deposit = await world.payer('mrc_b');
    await bench.records.insert('watches', [watch(deposit, { operator: null })]);
    proxy = await startProxy(world.anvil.rpcUrl);
    let lacking = 2;
    proxy.rewriteOne = (answer, { method }) => {
      if (method !== 'eth_getLogs' || lacking === 0) return answer;
      lacking -= 1;
      return { id: answer.id, error: { code: -32000, message: 'header not found' } };
    };
    const chain = bench.chain({ rpcUrl: proxy.url, sizes: { logOverlap: 1, logBlocks: 1 } });
    await chain.start();
    await bench.until('blocks were lacking', () => lacking === 0);
    await world.mine();
    await untilCursor(await world.anvil.provider.getBlockNumber());
    expect((await chain.health()).trouble).toBeNull();
  });

  async function untilCursor(block: number): Promise<void> {
    await bench.until(`logs are read to ${block}`, async () => {
      const [cursor] = await bench.records.get('chainCursors', [String(world.chainId)]);
      return (cursor?.block ?? 0) >= block;
    });
  }
});

describe('the connection', () => {
  it('never shows more of its URL than the host', async () => {
    bench = new Bench(world);
    const secret = 'very-secret-token';
    proxy = await startProxy(world.anvil.rpcUrl);
    proxy.treat = () => 'drop';
    const url = proxy.url.replace('http://', `http://user:${secret}@`);
    const chain = bench.chain({ rpcUrl: `${url}/v2/${secret}?key=${secret}` });
    await chain.start();
    await bench.until(
      'health shows the trouble',
      async () => (await chain.health()).trouble?.includes('no answer from') ?? false,
    );
    const error = await chain
      .readAllowances([{ token: world.usdc, wallet: world.owner, operator: world.router }])
      .catch(String);
    const shown = JSON.stringify([bench.logged, await chain.health(), error]);
    expect(shown).not.toContain(secret);
    expect(shown).toContain(new URL(proxy.url).host);
  });

  it('distinguishes an error answer from a missing answer', async () => {
    const rpc = new JsonRpc({ url: world.anvil.rpcUrl, timeoutMs: 2_000, batchMax: 2 });
    const answers = await rpc.batch([
      { method: 'eth_chainId', params: [] },
      { method: 'eth_nonsense', params: [] },
      { method: 'eth_call', params: [{ to: world.router, data: '0x12345678' }, 'latest'] },
    ]);
    expect(answers.map(({ ok }) => ok)).toEqual([true, false, false]);
    expect(answers[2]).toMatchObject({ error: { data: '0x' } });
    await expect(rpc.call('eth_nonsense', [])).rejects.toThrow(NodeRefused);
    await rpc.close();
    const slow = new JsonRpc({ url: 'http://127.0.0.1:9', timeoutMs: 500, batchMax: 2 });
    await expect(slow.call('eth_chainId', [])).rejects.toThrow(NodeUnreachable);
    await slow.close();
  });
});

describe('small rules', () => {
  const receipt = { transactionHash: '0xt', blockNumber: 100, blockHash: '0xb', status: 1, logs: [] };

  it.each([
    ['not deep enough', { head: 101, finalized: 101, confirmations: 3 }, null, 'mined'],
    ['deep enough', { head: 102, finalized: 99, confirmations: 3 }, '0xb', 'final'],
    ['deep enough, and finalized', { head: 102, finalized: 100, confirmations: 3 }, '0xb', 'finalized'],
    ['deep enough, without the tag', { head: 110, finalized: null, confirmations: 3 }, '0xb', 'final'],
    ['four times as deep, without the tag', { head: 111, finalized: null, confirmations: 3 }, '0xb', 'finalized'],
  ] as const)('a receipt is %s', (_title, ends, canonical, stage) => {
    expect(judge(receipt, canonical, ends)).toEqual({ kind: 'included', receipt, stage });
  });

  it('a receipt whose block is not the chain’s at that height decides nothing', () => {
    const ends = { head: 102, finalized: 102, confirmations: 3 };
    expect(judge(receipt, '0xother', ends)).toEqual({ kind: 'unsure' });
    expect(judge(receipt, null, ends)).toEqual({ kind: 'unsure' });
  });

  it('polls become rarer, up to a limit', () => {
    const timing = chainTiming(2_000);
    const signed = [0, 1, 5, 50, 5_000].map((asked) => nextAskMs(timing, 'signed', asked));
    expect(signed).toEqual([...signed].sort((a, b) => a - b));
    expect(signed[0]).toBe(timing.askFirstMs);
    expect(signed.at(-1)).toBe(timing.askMaxMs);
    expect(nextAskMs(timing, 'final', 5_000)).toBe(timing.finalizedMaxMs);
  });

  it.each([
    ['already known', 'sent'],
    ['transaction already imported', 'sent'],
    ['nonce too low: next nonce 5, tx nonce 4', 'stale'],
    ['insufficient funds for gas * price + value', 'refused'],
    ['tx fee (1.20 ether) exceeds the configured cap (1.00 ether)', 'too_large'],
  ])('a node that answers "%s" to a broadcast: %s', (message, outcome) => {
    const verdict = classify({ status: 200, code: -32000, message, hasData: false });
    if (verdict.about === 'moment') throw new Error('it is about the call');
    const error = new NodeRefused('eth_sendRawTransaction', -32000, message, null, null, verdict);
    expect(readBroadcast({ ok: false, error })).toBe(outcome);
  });

  it('fees leave room for a double base fee', () => {
    const block = { number: 1, hash: '0x', timestamp: 1, gasLimit: 30_000_000n, baseFeePerGas: 7n };
    expect(feesOf(block, '0x2', 50_000_000_000n)).toEqual({ maxFeePerGas: 16n, maxPriorityFeePerGas: 2n });
    expect(feesOf(block, null, 50_000_000_000n).maxPriorityFeePerGas).toBe(1_000_000_000n);
    expect(() => feesOf({ ...block, baseFeePerGas: null }, '0x2', 50_000_000_000n)).toThrow('no base fee');
  });

  it('a signer signs for its address and never shows its key', async () => {
    const wallet = Wallet.createRandom();
    const signer = createLocalSigner(wallet.privateKey);
    const raw = await signer.signTransaction({ type: 2, chainId: 1, to: world.router, nonce: 3, gasLimit: 21_000n });
    expect(Transaction.from(raw)).toMatchObject({ from: wallet.address, nonce: 3 });
    expect(inspect(signer, { depth: 9, showHidden: true }) + JSON.stringify(signer)).not.toContain(
      wallet.privateKey.slice(2),
    );
    expect(() => createLocalSigner('0xnot-a-key')).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('not-a-key') }),
    );
  });

  it('a lease belongs to its holder until it runs out or is given back', async () => {
    const { records } = openMemoryStore();
    let now = 0;
    const clock = (): Date => new Date(now);
    const [a, b] = ['a', 'b'].map((holder) => storeLeases({ records, holder, leaseMs: 900, clock }));
    if (!a || !b) throw new Error('no leases');
    expect([await a.take('lane'), await b.take('lane'), await b.take('other')]).toEqual([true, false, true]);
    now = 600;
    expect([await a.take('lane'), await b.take('lane')]).toEqual([true, false]);
    now = 1_600;
    expect([await b.take('lane'), await a.take('lane')]).toEqual([true, false]);
    await a.release('lane');
    expect(await a.take('lane')).toBe(false);
    await b.release('lane');
    expect(await a.take('lane')).toBe(true);
  });

  it('a loop that is woken during a run runs again at once, and a stop waits for the current run', async () => {
    let runs = 0;
    await new Promise<void>((resolve) => {
      const loop: Loop = new Loop({
        run: async () => {
          runs += 1;
          if (runs === 1) loop.wake();
          else void loop.stop().then(resolve);
          return 60_000;
        },
        onError: () => 0,
      });
      loop.start();
      loop.start();
    });
    expect(runs).toBe(2);
  });

  it('a loop continues after errors, and counts consecutive ones', async () => {
    const failures: number[] = [];
    const outcomes = ['fails', 'fails', 'works', 'fails'];
    await new Promise<void>((resolve) => {
      const loop: Loop = new Loop({
        run: async () => {
          const outcome = outcomes.shift();
          if (outcome === undefined) void loop.stop().then(resolve);
          if (outcome === 'fails') throw new Error('fails');
          return 0;
        },
        onError: (_error, count) => {
          failures.push(count);
          return 0;
        },
      });
      loop.start();
    });
    expect(failures).toEqual([1, 2, 1]);
  });
});

/** Anvil has no Multicall3; this one has the part that is used. */
async function putMulticall(): Promise<void> {
  await world.anvil.provider.send('anvil_setCode', [MULTICALL3, MULTICALL3_CODE]);
}

function rangeOf(filter: unknown): number {
  if (typeof filter !== 'object' || filter === null || !('fromBlock' in filter) || !('toBlock' in filter)) return 0;
  return Number(filter.toBlock) - Number(filter.fromBlock) + 1;
}

function refuseAll(answer: unknown): unknown {
  const refuse = (one: unknown): unknown =>
    typeof one === 'object' && one !== null && 'id' in one
      ? { jsonrpc: '2.0', id: one.id, error: { code: -32005, message: 'query returned more than 10000 results' } }
      : one;
  return Array.isArray(answer) ? answer.map(refuse) : refuse(answer);
}
