import { inspect } from 'node:util';
import { concat, hashMessage, Wallet, ZeroAddress, zeroPadValue } from 'ethers';
import { z } from 'zod';
import { MULTICALL3_CODE } from '../../../devnet/evm-multicall.ts';
import { chainTiming } from '../../../src/chains/context.ts';
import { AllowanceReader } from '../../../src/chains/evm/allowances.ts';
import { operatorAddress } from '../../../src/chains/evm/contracts/router.ts';
import { testTokenInterface } from '../../../src/chains/evm/contracts/test-token.ts';
import { FeeLimits } from '../../../src/chains/evm/fee-limits.ts';
import { feesOf } from '../../../src/chains/evm/fees.ts';
import { decodeAggregate3, encodeAggregate3, MULTICALL3 } from '../../../src/chains/evm/multicall.ts';
import { judge } from '../../../src/chains/evm/reconciler/agree.ts';
import { readBroadcast } from '../../../src/chains/evm/sender/broadcast.ts';
import { createLocalSigner } from '../../../src/chains/evm/signer.ts';
import { classify } from '../../../src/chains/node-errors.ts';
import { nextAskMs } from '../../../src/chains/reconciler/reconciler.ts';
import { JsonRpc, NodeRefused, NodeUnreachable, type RpcAnswer } from '../../../src/chains/rpc.ts';
import { isSignedBy } from '../../../src/chains/signatures.ts';
import type { WatchDoc } from '../../../src/store/collections.ts';
import { merchantOf, transaction, watch } from '../../store/support/documents.ts';
import { counterfactualWallet } from '../../support/counterfactual.ts';
import { testArtifacts } from '../contracts/test-artifacts.ts';
import { refuseAbove } from '../support/proxy.ts';
import { linkTo, useEvm } from './bench.ts';
import { MERCHANT } from './world.ts';

const { world, bench } = useEvm({ pumps: true });

/** The call for a token's symbol. */
const SYMBOL = testTokenInterface.encodeFunctionData('symbol');

describe('the checks before any signature', () => {
  it('disable a token that differs, and no other', async () => {
    const chain = await bench.start({ symbols: ['EURC'] });
    const differing = await bench.newCharge();
    const fine = bench.chargeOf({ from: await world.payer('mrc_a', { token: world.usdt }), token: world.usdt });
    await bench.charge(differing, fine);
    await bench.untilState([fine], 'final');
    expect((await bench.read(differing)).state).toBe('waiting');
    expect((await chain.health()).trouble).toContain(
      'usdc-test is not enabled: its contract says USDC with 6 decimals',
    );
  });

  it("enable a token when the node's answer matches the catalog again", async () => {
    const proxy = await bench.proxy();
    proxy.answer('eth_call', (answer, { params }) =>
      JSON.stringify(params).includes(SYMBOL) ? { error: { code: -32_000, message: 'header not found' } } : answer,
    );
    const chain = await bench.start({ rpcUrl: proxy.url, timing: { tokensMs: 50 } });
    const charge = await bench.newCharge();
    await bench.charge(charge);
    await bench.untilTrouble(chain, 'says no symbol');
    proxy.heal();
    await bench.untilState([charge], 'final');
    expect((await chain.health()).trouble).toBeNull();
  });

  it('disable a chain without router or sender key, which knows no operators without a router', async () => {
    const chain = bench.chain({ routers: [] });
    expect(chain.enabled).toBe(false);
    expect(() => chain.operatorFor('mrc_a', 'test')).toThrow(`ROUTER_${world.chainId} is not configured`);
    expect((await chain.health()).trouble).toBe(`ROUTER_${world.chainId} is not configured`);
    expect(bench.chain({ senders: 0 }).enabled).toBe(false);
    expect(await bench.chain({ senders: 0 }).health()).toMatchObject({ trouble: 'no sender key is configured' });
    expect(() => bench.chain({ routers: ['0x12'] })).toThrow(`ROUTER_${world.chainId} is no address`);
  });
});

it('the address of all zeros is nobody’s', () => {
  expect(bench.chain().parseAddress(ZeroAddress)).toBeNull();
});

describe('allowances', () => {
  it('are read in one request, in the given order, with Multicall3', async () => {
    const rich = await world.payer('mrc_a', { allowance: 7n, balance: 9n });
    const poor = await world.payer('mrc_a', { allowance: 0n, balance: 0n });
    const operator = operatorAddress(world.router, 'mrc_a', 'test');
    const reads = Array.from({ length: 150 }, (_, index) => ({
      token: world.token,
      wallet: index % 2 === 0 ? rich : poor,
      operator: index % 3 === 0 ? operator : world.owner,
    }));
    const expected = reads.map(({ wallet, operator: spender }) => ({
      allowance: wallet === rich && spender === operator ? 7n : 0n,
      balance: wallet === rich ? 9n : 0n,
    }));
    await putMulticall();
    const proxy = await bench.proxy();
    const rpc = new JsonRpc({ url: proxy.url, timeoutMs: 2_000, batchMax: 100 });
    expect(
      await new AllowanceReader(linkTo(rpc, { chainId: world.chainId, routers: [world.router] }), 500).read(reads),
    ).toEqual(expected);
    expect(proxy.seen.map(({ method }) => method).slice(-2)).toEqual(['eth_getCode', 'eth_call']);
    await rpc.close();
  });

  it('are not zero if the token returns no number', async () => {
    const read = { token: world.token, wallet: world.owner, operator: world.router };
    const rpc = new JsonRpc({ url: world.rpcUrl, timeoutMs: 2_000, batchMax: 100 });
    const reader = new AllowanceReader(linkTo(rpc, { chainId: world.chainId, routers: [world.router] }), 500);
    const odd = { ...read, token: world.router };
    await expect(reader.read([odd])).rejects.toThrow('gives no number');
    const [none, some] = await reader.readNewest([odd, read], [odd.token, read.token]);
    expect([none, some?.allowance]).toEqual([null, 0n]);
    await rpc.close();
    expect(await bench.chain().readAllowances([])).toEqual([]);
  });

  it("are decoded from Multicall3's answers, failed calls included", async () => {
    await putMulticall();
    const calls = [
      { to: world.token, data: testTokenInterface.encodeFunctionData('symbol') },
      { to: world.token, data: '0xdeadbeef' },
      { to: world.token, data: testTokenInterface.encodeFunctionData('decimals') },
    ];
    const call = { to: MULTICALL3, data: encodeAggregate3(calls) };
    const answer = String(await world.rpc('eth_call', [call, 'latest']));
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
    const deployment = concat([ContractWallet.bytecode, zeroPadValue(owner.address, 32)]);
    const wallet = await world.deploy(deployment);
    const chain = bench.chain();
    const digest = hashMessage('a text');
    const signature = await owner.signMessage('a text');
    expect(await chain.acceptsSignature(wallet, digest, signature)).toBe(true);
    expect(await chain.acceptsSignature(wallet, hashMessage('another'), signature)).toBe(false);
    expect(await chain.acceptsSignature(wallet, digest, '0x')).toBe(false);
    for (const other of [owner.address, world.token, world.router]) {
      expect(await chain.acceptsSignature(other, digest, signature)).toBe(false);
    }
  }, 120_000);

  it('confirms a wrapped signature before and after it is created, and checking creates nothing (ERC-6492)', async () => {
    await putMulticall();
    const [owner, stranger] = [Wallet.createRandom(), Wallet.createRandom()];
    const { address, creation, wrap } = await counterfactualWallet(owner.address);
    const verdict = (signer: typeof owner, text: string) => {
      const signature = wrap(signer.signMessageSync(text));
      return isSignedBy({ family: 'evm', wallet: address, message: 'a text', signature }, bench.chain());
    };
    const verdicts = () =>
      Promise.all([verdict(owner, 'a text'), verdict(owner, 'other'), verdict(stranger, 'a text')]);
    expect(await verdicts()).toEqual([true, false, false]);
    expect(await world.rpc('eth_getCode', [address, 'latest'])).toBe('0x');
    await world.act(owner.address, creation.to, creation.data);
    expect(await world.rpc('eth_getCode', [address, 'latest'])).not.toBe('0x');
    expect(await verdicts()).toEqual([true, false, false]);
  });

  it('is taken to refuse if it uses up its gas', async () => {
    const wallet = Wallet.createRandom().address;
    for (const code of ['0x5b5f56', '0xfe']) {
      await world.rpc('anvil_setCode', [wallet, code]);
      expect(await bench.chain().acceptsSignature(wallet, hashMessage('a text'), '0x')).toBe(false);
    }
  });

  it('is not taken to refuse if the node does not answer', async () => {
    const chain = bench.chain({ rpcUrl: 'http://127.0.0.1:9' });
    await expect(chain.acceptsSignature(MERCHANT, hashMessage(''), '0x')).rejects.toThrow(NodeUnreachable);
  });
});

describe('the log watcher', () => {
  const operatorOf = () => operatorAddress(world.router, 'mrc_a', 'test');

  /** A payer who has approved nothing yet. */
  const unapproved = (): Promise<string> => world.payer('mrc_a', { allowance: 0n });

  function untilReported(wallet: string): Promise<void> {
    return bench.until('the wallet is reported', () => bench.listener.wallets.includes(wallet.toLowerCase()));
  }

  function watchOf(wallet: string, changes: Partial<WatchDoc> = {}): WatchDoc {
    const { chainId, token } = world;
    const own = { _id: `sub_${wallet}`, operator: operatorOf(), wallet: wallet.toLowerCase() };
    return watch({ chainId, token, ...own, ...changes });
  }

  it("reports every approval of a merchant's operator of this service, watched or not", async () => {
    const payer = await unapproved();
    await bench.start();
    await untilRead();
    const reported = () => bench.listener.allowances.filter(({ wallet }) => wallet === payer.toLowerCase());
    await world.approve(payer, 'mrc_of_another_service', 5n);
    await world.approve(payer, 'mrc_a', 5n);
    await bench.until('the approval is reported', () => reported().length === 1);
    await world.approve(payer, 'mrc_a', 0n);
    await bench.records.insert('merchants', [merchantOf('mrc_new')]);
    await world.approve(payer, 'mrc_new', 7n);
    await bench.until('all three approvals are reported', () => reported().length === 3);
    await world.mine(3);
    await untilRead();
    const of = { mode: 'test', chainId: world.chainId, token: world.token };
    expect(reported()).toEqual(
      ['mrc_a', 'mrc_a', 'mrc_new'].map((merchantId) => expect.objectContaining({ merchantId, ...of })),
    );
    const blocks = reported().map(({ block }) => block ?? 0);
    expect(blocks).toEqual([...new Set(blocks)].sort((one, other) => one - other));
  });

  it('says that an approval of 0 is a revocation, unless a transaction of this service made it', async () => {
    const [payer, charged] = [await unapproved(), await unapproved()];
    for (const wallet of [payer, charged]) await world.approve(wallet, 'mrc_a', 0n);
    const topics = [null, zeroPadValue(charged, 32)];
    const [log] = await world.anvil.provider.getLogs({ address: world.token, fromBlock: 0, topics });
    const hash = log?.transactionHash ?? '';
    const version = { hash, raw: '', maxFeePerGas: '0', maxPriorityFeePerGas: '0', at: new Date(0) };
    await bench.records.insert('transactions', [transaction({ state: 'finalized', versions: [version] })]);
    await bench.start({ sizes: { logOverlap: 8 } });
    const of = (wallet: string) => bench.listener.allowances.find((each) => each.wallet === wallet.toLowerCase());
    await bench.until('both are reported', () => of(payer) !== undefined && of(charged) !== undefined);
    expect([of(payer)?.revoked, of(charged)?.revoked]).toEqual([{ mandateId: null }, undefined]);
  });

  it('asks for all logs of an event if there are many addresses, and reports only what is watched', async () => {
    const wallets = Array.from({ length: 5 }, () => Wallet.createRandom().address);
    const deposits = [await world.payer('mrc_b'), await world.payer('mrc_b')];
    const [first = '', payer] = [wallets[0], await unapproved()];
    await bench.records.insert('watches', [
      ...wallets.map((wallet) => watchOf(wallet)),
      ...deposits.map((deposit) => watchOf(deposit, { operator: null })),
    ]);
    const merchants = ['mrc_c', 'mrc_d'].map((_id) => merchantOf(_id));
    await bench.records.insert('merchants', merchants);
    const proxy = await bench.proxy();
    const requests: number[] = [];
    proxy.treat = (calls) => {
      requests.push(calls.filter(({ method }) => method === 'eth_getLogs').length);
      return 'pass';
    };
    await bench.start({ rpcUrl: proxy.url, sizes: { topics: 1 } });
    await untilRead();
    await world.approve(payer, 'mrc_of_another_service', 5n);
    await world.approve(payer, 'mrc_d', 7n);
    for (const wallet of [world.stranger(), first, ...deposits]) await world.mint(wallet, 1n);
    await bench.until('the last one is reported', () => bench.listener.wallets.length >= 3);
    const named = [first, ...deposits].map((wallet) => wallet.toLowerCase());
    expect(new Set(bench.listener.wallets)).toEqual(new Set(named));
    const approved = bench.listener.allowances.filter(({ wallet }) => wallet === payer.toLowerCase());
    expect(approved).toMatchObject([{ merchantId: 'mrc_d' }]);
    // The routers, all approvals, all transfers of the tokens, and each deposit address.
    expect(Math.max(...requests)).toBe(5);
  });

  it('reads again after a reorganisation', async () => {
    const payer = await unapproved();
    await bench.records.insert('watches', [watchOf(payer)]);
    await bench.start({ sizes: { logOverlap: 8 } });
    await world.mine();
    await untilRead();
    const data = testTokenInterface.encodeFunctionData('approve', [operatorOf(), 3n]);
    await world.reorg(2, { from: payer, to: world.token, data });
    await untilReported(payer);
  });

  it('requests less if the node allows no more, and waits until the listener has accepted the logs', async () => {
    const payer = await unapproved();
    await bench.records.insert('watches', [watchOf(payer)]);
    const head = await world.height();
    await bench.records.insert('chainCursors', [{ _id: String(world.chainId), block: head, updatedAt: new Date() }]);
    await world.approve(payer, 'mrc_a', 1n);
    await world.mine(40);
    const end = await world.height();
    const proxy = await bench.proxy();
    const message = 'query returned more than 10000 results';
    const refused = refuseAbove(proxy, { method: 'eth_getLogs', most: 10, message });
    let failures = 2;
    const changed = bench.listener.walletsChanged.bind(bench.listener);
    bench.listener.walletsChanged = async (chainId, wallets) => {
      failures -= 1;
      if (failures >= 0) throw new Error('not now');
      await changed(chainId, wallets);
    };
    await bench.start({ rpcUrl: proxy.url, sizes: { logOverlap: 1 } });
    await untilRead(end);
    expect(bench.listener.wallets).toEqual([payer.toLowerCase()]);
    expect(refused.count).toBeGreaterThan(0);
  });

  it.each([
    [-32701, 'Please specify an address in your request', 'eth_getLogs: Please specify an address'],
    [-32000, 'not on this plan', 'eth_getLogs: not on this plan'],
  ])(
    "continues with the catalog's tokens if the node gives no logs of every contract (%s %s), and logs it",
    async (code, message, said) => {
      const [payer, deposit] = [await unapproved(), await world.payer('mrc_b')];
      await bench.records.insert('watches', [watchOf(payer), watchOf(deposit, { operator: null })]);
      const proxy = await bench.proxy();
      let refused = 0;
      proxy.answer('eth_getLogs', (answer, { params: [filter] }) => {
        if (Object.hasOwn(z.looseObject({}).parse(filter), 'address')) return answer;
        refused += 1;
        return { error: { code, message } };
      });
      const chain = await bench.start({ rpcUrl: proxy.url });
      await untilRead();
      await world.approve(payer, 'mrc_a', 1n);
      await world.mint(deposit, 1n);
      await bench.until('both wallets are reported', () => new Set(bench.listener.wallets).size === 2);
      const before = refused;
      expect(before).toBeGreaterThan(0);
      expect((await chain.health()).trouble).toContain(said);
      await world.mine(3);
      await untilRead();
      expect(refused).toBe(before);
    },
  );

  it('does not take a missing block for a refusal of every contract', async () => {
    const deposit = await world.payer('mrc_b');
    await bench.records.insert('watches', [watchOf(deposit, { operator: null })]);
    const proxy = await bench.proxy();
    let lacking = 2;
    proxy.answer('eth_getLogs', (answer) => {
      if (lacking === 0) return answer;
      lacking -= 1;
      return { error: { code: -32000, message: 'header not found' } };
    });
    const chain = await bench.start({ rpcUrl: proxy.url, sizes: { logOverlap: 1, logBlocks: 1 } });
    await bench.until('blocks were lacking', () => lacking === 0);
    await world.mine();
    await untilRead();
    expect((await chain.health()).trouble).toBeNull();
  });

  /** Waits until logs are read up to this block, by default the newest. */
  async function untilRead(until?: number): Promise<void> {
    const block = until ?? (await world.height());
    await bench.until(`logs are read to ${block}`, async () => {
      const [cursor] = await bench.records.get('chainCursors', [String(world.chainId)]);
      return (cursor?.block ?? 0) >= block;
    });
  }
});

describe('the connection', () => {
  it('never shows more of its URL than the host', async () => {
    const secret = 'very-secret-token';
    const proxy = await bench.proxy();
    proxy.treat = () => 'drop';
    const url = proxy.url.replace('http://', `http://user:${secret}@`);
    const chain = await bench.start({ rpcUrl: `${url}/v2/${secret}?key=${secret}` });
    await bench.untilTrouble(chain, 'no answer from');
    const error = await chain
      .readAllowances([{ token: world.token, wallet: world.owner, operator: world.router }])
      .catch(String);
    const shown = JSON.stringify([bench.logged, await chain.health(), error]);
    expect(shown).not.toContain(secret);
    expect(shown).toContain(new URL(proxy.url).host);
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
    expect(readBroadcast(refusal(message))).toBe(outcome);
  });

  it.each([
    ['transaction gas price below minimum: gas tip cap 15, minimum needed 250', 250n, 0n],
    ['transaction underpriced: tip needed 250, tip permitted 15', 250n, 0n],
    ['transaction priority fee below minimum required priority fee 250', 250n, 0n],
    ['FeeTooLow, EffectivePriorityFeePerGas too low 15 < 250, BaseFee: 30', 250n, 30n],
    ['FeeTooLow, MaxFeePerGas too low. MaxFeePerGas: 90, BaseFee: 300, MaxPriorityFeePerGas: 15', 1n, 300n],
    ['max fee per gas less than block base fee: address 0x12, maxFeePerGas: 90, baseFee: 300', 1n, 300n],
    ['gasPrice is less than the current BaseFee', 1n, 90n],
    ['Gas price below configured minimum gas price', 30n, 0n],
    ['transaction underpriced', 30n, 0n],
    ['transaction underpriced: tip needed 1000, tip permitted 15', 640n, 0n],
    ['replacement transaction underpriced', 1n, 0n],
  ])('a node that refuses a tip of 15 and fees of 90 with "%s" needs a tip of %s and a base fee of %s', (...row) => {
    const [message, tip, baseFee] = row;
    const limits = new FeeLimits(1n, 640n);
    limits.learn('node', { maxFeePerGas: '90', maxPriorityFeePerGas: '15' }, refusal(message));
    expect(limits.needed).toEqual({ tip, baseFee });
  });

  it('fees leave room for a double base fee', () => {
    const block = { number: 1, hash: '0x', timestamp: 1, gasLimit: 30_000_000n, baseFeePerGas: 7n };
    const limits = new FeeLimits(1n, 50_000_000_000n);
    expect(feesOf(block, '0x2', limits)).toEqual({ maxFeePerGas: 16n, maxPriorityFeePerGas: 2n });
    expect(feesOf(block, '0x0', limits)).toEqual({ maxFeePerGas: 15n, maxPriorityFeePerGas: 1n });
    expect(feesOf(block, null, limits).maxPriorityFeePerGas).toBe(1_000_000_000n);
    expect(() => feesOf({ ...block, baseFeePerGas: null }, '0x2', limits)).toThrow('no base fee');
  });

  it('a signer never shows its key', () => {
    const wallet = Wallet.createRandom();
    const signer = createLocalSigner(wallet.privateKey);
    expect(inspect(signer, { depth: 9, showHidden: true }) + JSON.stringify(signer)).not.toContain(
      wallet.privateKey.slice(2),
    );
    expect(() => createLocalSigner('0xnot-a-key')).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('not-a-key') }),
    );
  });
});

function refusal(message: string): RpcAnswer {
  const verdict = classify({ status: 200, code: -32000, message, hasData: false });
  if (verdict.about === 'moment') throw new Error('it is about the call');
  return { ok: false, error: new NodeRefused('eth_sendRawTransaction', -32000, message, null, null, verdict) };
}

/** Anvil has no Multicall3; this one has the part that is used. */
async function putMulticall(): Promise<void> {
  await world.rpc('anvil_setCode', [MULTICALL3, MULTICALL3_CODE]);
}
