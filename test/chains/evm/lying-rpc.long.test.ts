import { HDNodeWallet, keccak256, Transaction } from 'ethers';
import { depositAddress, paymentChargeKey, refundKey } from '../../../src/chains/evm/contracts/router.ts';
import type { Chain } from '../../../src/chains/port.ts';
import { JsonRpc, NodeUnreachable } from '../../../src/chains/rpc.ts';
import type { ChargeDoc, TransactionDoc } from '../../../src/store/collections.ts';
import { startAnvil } from '../../support/anvil.ts';
import { Bench, type ChainWish } from './bench.ts';
import { forgetTransactions, forkAt, freezeAt, isBroadcast, thaw } from './lies.ts';
import { type Answered, type RpcProxy, startProxy } from './proxy.ts';
import { startWorld, type World, waitingCharge } from './world.ts';

let world: World;
let stopPump: () => void = () => {};
let bench: Bench;
const proxies: RpcProxy[] = [];

beforeAll(async () => {
  world = await startWorld();
});
afterEach(async () => {
  await bench?.stop();
  await Promise.all(proxies.splice(0).map((proxy) => proxy.stop()));
  stopPump();
  await world.mine(3);
});
afterAll(() => world?.stop());

/** A node that may lie, in front of a correct one. */
async function liar(target = world.anvil.rpcUrl): Promise<RpcProxy> {
  const proxy = await startProxy(target);
  proxies.push(proxy);
  return proxy;
}

/** A started chain on these nodes, and a charge that can be made. */
async function charging(nodes: readonly [RpcProxy, ...RpcProxy[]], wish: ChainWish = {}) {
  bench = new Bench(world);
  const [first, ...others] = nodes;
  const rpcUrl = [first.url, ...others.map(({ url }) => url)] as const;
  const chain = bench.chain({ ...wish, rpcUrl });
  const charge = waitingCharge(world, { from: await world.payer('mrc_a') });
  await chain.start();
  return { chain, charge };
}

/** By the chain's own logs one pull has landed, and the payment got only that fact. */
async function expectPulledOnce(charge: ChargeDoc): Promise<void> {
  const pulls = (await world.transfers()).filter(({ from }) => from === charge.from);
  expect(pulls.map(({ amount }) => amount)).toEqual([BigInt(charge.gross)]);
  const kinds = bench.listener.kinds(charge);
  expect(new Set(kinds.filter((kind) => kind !== 'finalized'))).toEqual(new Set(['mined', 'final']));
  expect(kinds.filter((kind) => kind === 'final')).toHaveLength(1);
  expect((await bench.read(charge)).txHash).toBe(pulls[0]?.txHash);
}

async function transactionOf(charge: ChargeDoc): Promise<TransactionDoc | undefined> {
  const [transaction] = await bench.records.find('transactions', { where: { chargeIds: charge._id }, limit: 1 });
  return transaction;
}

/** Waits until the node was asked about it so many times more, whatever it answered. */
async function untilAskedAgain(charge: ChargeDoc, times: number): Promise<void> {
  const seen = new Set<string>();
  await bench.until(`the node was asked about it ${times} times more`, async () => {
    const transaction = await transactionOf(charge);
    seen.add(`${transaction?.state} ${transaction?.asked}`);
    return seen.size > times;
  });
}

async function untilTrouble(chain: Chain, sentence: string): Promise<void> {
  await bench.until(
    `health says "${sentence}"`,
    async () => (await chain.health()).trouble?.includes(sentence) ?? false,
  );
}

async function untilWell(chain: Chain): Promise<void> {
  await bench.until('health shows no trouble', async () => (await chain.health()).trouble === null);
}

const REFUSAL = { code: -32000, message: 'internal error' };

const GWEI = 1_000_000_000n;

describe('the answers of a node', () => {
  it('that accepts a broadcast and times out: no other charge is sent for it', async () => {
    stopPump = world.pump();
    const node = await liar();
    let hung = 0;
    node.treat = (calls) => {
      if (!calls.some(isBroadcast) || hung > 0) return 'pass';
      hung += 1;
      return 'hang';
    };
    const { charge } = await charging([node], { timing: { rpcTimeoutMs: 600 } });
    await bench.charge(charge);
    await bench.untilState([charge], 'final');
    expect(hung).toBe(1);
    await expectPulledOnce(charge);
    expect(await bench.records.count('transactions', {})).toBe(1);
  });

  it('that accepts a broadcast and drops it: it gets the same bytes again', async () => {
    stopPump = world.pump();
    const node = await liar();
    const dropped: string[] = [];
    node.replace = (call) => {
      if (!isBroadcast(call) || dropped.length > 1) return call;
      dropped.push(String(call.params[0]));
      return null;
    };
    node.rewriteOne = (answer, call) =>
      isBroadcast(call) && answer.result === null ? { ...answer, result: keccak256(String(call.params[0])) } : answer;
    const { charge } = await charging([node]);
    await bench.charge(charge);
    await bench.untilState([charge], 'final');
    expect(new Set(dropped).size).toBe(1);
    expect(dropped).toHaveLength(2);
    await expectPulledOnce(charge);
  });

  it('that suggests a tip of a thousand gwei: no sender pays more than the chain is worth', async () => {
    stopPump = world.pump();
    const node = await liar();
    node.rewriteOne = (answer, { method }) =>
      method === 'eth_maxPriorityFeePerGas' ? { ...answer, result: `0x${(1_000n * GWEI).toString(16)}` } : answer;
    const { charge } = await charging([node], { tipGweiMax: 2 });
    await bench.charge(charge);
    await bench.untilState([charge], 'final');
    const [version] = (await bench.transactionOf(charge)).versions;
    expect(version?.maxPriorityFeePerGas).toBe(`${2n * GWEI}`);
    expect(Transaction.from(version?.raw).maxPriorityFeePerGas).toBe(2n * GWEI);
  });

  it('that rejects a broadcast but relays it: nothing ends by that', async () => {
    stopPump = world.pump();
    const node = await liar();
    let rejected = 0;
    node.rewriteOne = (answer, call) => {
      if (!isBroadcast(call)) return answer;
      rejected += 1;
      return { id: answer.id, error: REFUSAL };
    };
    const { charge } = await charging([node]);
    await bench.charge(charge);
    await bench.untilState([charge], 'final');
    expect(rejected).toBeGreaterThan(0);
    await expectPulledOnce(charge);
  });

  it('that is behind: it reorgs no charge out, and ends none', async () => {
    const node = await liar();
    const { charge } = await charging([node], { confirmations: 2 });
    const before = await world.anvil.provider.getBlockNumber();
    await bench.charge(charge);
    await bench.untilPending(charge);
    await world.mine();
    await bench.untilState([charge], 'mined');
    freezeAt(node, before);
    await untilAskedAgain(charge, 3);
    expect(await bench.read(charge)).toMatchObject({ state: 'mined' });
    thaw(node);
    await world.mine(2);
    await bench.untilState([charge], 'final');
    await expectPulledOnce(charge);
    expect(bench.listener.kinds(charge).slice(0, 2)).toEqual(['mined', 'final']);
  });

  it('that gives receipts late: it is asked until it does', async () => {
    stopPump = world.pump();
    const node = await liar();
    let late = 0;
    node.rewriteOne = (answer, { method }): Answered => {
      if (method !== 'eth_getTransactionReceipt' || answer.result === null || late > 4) return answer;
      late += 1;
      return { ...answer, result: null };
    };
    const { charge } = await charging([node]);
    await bench.charge(charge);
    await bench.untilState([charge], 'final');
    expect(late).toBe(5);
    await expectPulledOnce(charge);
    expect(await bench.records.count('transactions', {})).toBe(1);
  });

  it('that gets a block between two answers of a batch: it does not mean that another has the nonce', async () => {
    stopPump = world.pump();
    const node = await liar();
    let torn = 0;
    node.rewrite = (answer, calls) => {
      const asksForHead = calls.some(
        ({ method, params }) => method === 'eth_getBlockByNumber' && params[0] === 'latest',
      );
      if (!Array.isArray(answer) || !asksForHead || torn === 3) return answer;
      const before = answer.map((each: Answered, index) => {
        const isReceipt = calls[index]?.method === 'eth_getTransactionReceipt' && each.result !== null;
        return isReceipt ? { ...each, result: null } : each;
      });
      if (before.some((each, index) => each !== answer[index])) torn += 1;
      return before;
    };
    const { charge } = await charging([node]);
    await bench.charge(charge);
    await bench.untilState([charge], 'final');
    expect(torn).toBeGreaterThan(0);
    await expectPulledOnce(charge);
    const transaction = await transactionOf(charge);
    expect(transaction?.state).toMatch(/^final/);
    expect(transaction?.displaced).toBeUndefined();
  });

  it('that answers batches in any order, in part, twice and for others: it is understood', async () => {
    stopPump = world.pump();
    const node = await liar();
    let turn = 0;
    node.rewrite = (answer) => {
      if (!Array.isArray(answer)) return answer;
      turn += 1;
      const foreign = { jsonrpc: '2.0', id: 10 ** 9 + turn, result: '0x1' };
      const mixed = [foreign, ...[...answer].reverse(), ...answer, 'what is this'];
      return turn % 3 === 0 ? answer.slice(0, -1) : mixed;
    };
    const { charge } = await charging([node]);
    await bench.charge(charge);
    await bench.untilState([charge], 'final');
    await expectPulledOnce(charge);
  });
});

describe('the answers to a batch', () => {
  const calls = ['eth_chainId', 'eth_blockNumber', 'eth_gasPrice'].map((method) => ({ method, params: [] }));
  const kindsOf = async (rewrite: (answers: { id: number }[]) => unknown): Promise<string[]> => {
    const node = await liar();
    node.rewrite = (answer) => (Array.isArray(answer) ? rewrite(answer) : answer);
    const rpc = new JsonRpc({ url: node.url, timeoutMs: 2_000, batchMax: 100 });
    const answers = await rpc.batch(calls);
    await rpc.close();
    return answers.map((answer) => {
      if (answer.ok) return 'answered';
      return answer.error instanceof NodeUnreachable ? 'left out' : 'refused';
    });
  };

  it.each([
    ['in another order', (answers: { id: number }[]) => answers.reverse(), ['answered', 'answered', 'answered']],
    ['without one', (answers: { id: number }[]) => answers.slice(1), ['left out', 'answered', 'answered']],
    ['each twice', (answers: { id: number }[]) => [...answers, ...answers], ['answered', 'answered', 'answered']],
    [
      'one twice, and not the same',
      (answers: { id: number }[]) => [...answers, { ...answers[1], result: '0xbad' }],
      ['answered', 'left out', 'answered'],
    ],
    [
      'one for nobody here',
      (answers: { id: number }[]) => [{ id: 10 ** 9, result: '0x1' }, ...answers.slice(0, 2)],
      ['answered', 'answered', 'left out'],
    ],
    [
      'one with neither result nor error',
      (answers: { id: number }[]) => answers.map(({ id }, index) => (index === 2 ? { id } : { id, result: null })),
      ['answered', 'answered', 'left out'],
    ],
    ['one that is none', (answers: { id: number }[]) => [7, ...answers.slice(1)], ['left out', 'answered', 'answered']],
    [
      'numbered as text',
      (answers: { id: number }[]) => answers.map((a) => ({ ...a, id: `${a.id}` })),
      ['answered', 'answered', 'answered'],
    ],
  ])('%s are each matched with their call', async (_title, rewrite, expected) => {
    expect(await kindsOf(rewrite)).toEqual(expected);
  });
});

describe('of two nodes', () => {
  it('the second is asked while the first does not answer, and the first again later', async () => {
    stopPump = world.pump();
    const [first, second] = [await liar(), await liar()];
    first.treat = () => 'drop';
    const { chain, charge } = await charging([first, second]);
    await bench.charge(charge);
    await bench.untilState([charge], 'final');
    await expectPulledOnce(charge);
    await untilTrouble(chain, `no answer from ${new URL(first.url).host} since`);
    expect((await chain.health()).trouble).not.toContain(new URL(second.url).host);
    first.treat = () => 'pass';
    await untilWell(chain);
    second.treat = () => 'drop';
    const other = waitingCharge(world, { from: await world.payer('mrc_a') });
    await bench.charge(other);
    await bench.untilState([other], 'final');
    await expectPulledOnce(other);
  });

  it('both get every broadcast, so that a node that drops it changes nothing', async () => {
    const [first, second] = [await liar(), await liar()];
    first.replace = (call) => (isBroadcast(call) ? null : call);
    first.rewriteOne = (answer, call) =>
      isBroadcast(call) ? { ...answer, result: keccak256(String(call.params[0])) } : answer;
    const { charge } = await charging([first, second]);
    await bench.charge(charge);
    await bench.until('the other has got it', () => second.seen.some(isBroadcast));
    stopPump = world.pump();
    await bench.untilState([charge], 'final');
    await expectPulledOnce(charge);
  });

  it.each([
    ['another chain', 'is of chain 31338, expected 31337'],
    ['no such router', 'There is no contract at'],
  ])('one of %s is not used, and health shows it', async (what, sentence) => {
    stopPump = world.pump();
    const anvil = await startAnvil(what === 'another chain' ? { chainId: 31_338 } : {});
    try {
      const [stranger, node] = [await liar(anvil.rpcUrl), await liar()];
      const { chain, charge } = await charging([stranger, node]);
      await untilTrouble(chain, sentence);
      await untilTrouble(chain, new URL(stranger.url).host);
      await bench.charge(charge);
      await bench.untilState([charge], 'final');
      await expectPulledOnce(charge);
      expect(stranger.seen.some(isBroadcast)).toBe(false);
    } finally {
      await anvil.stop();
    }
  });

  it('one that is behind is asked last, and reorgs nothing out', async () => {
    const [stuck, node] = [await liar(), await liar()];
    const { chain, charge } = await charging([stuck, node], { timing: { rpcLagMs: 100 } });
    freezeAt(stuck, await world.anvil.provider.getBlockNumber());
    stopPump = world.pump();
    await world.mine(5);
    await untilTrouble(chain, `${new URL(stuck.url).host} is behind the other nodes since`);
    await bench.charge(charge);
    await bench.untilState([charge], 'final');
    await expectPulledOnce(charge);
    await world.mine(3);
    await bench.until('it is finalized', () => bench.listener.kinds(charge).includes('finalized'));
    expect(bench.listener.kinds(charge)).toEqual(['mined', 'final', 'finalized']);
    thaw(stuck);
    await untilWell(chain);
  });

  it('with different blocks, neither ends a charge before they agree', async () => {
    const [first, second] = [await liar(), await liar()];
    const { chain, charge } = await charging([first, second]);
    forkAt(second, (await world.anvil.provider.getBlockNumber()) + 1);
    stopPump = world.pump();
    await bench.charge(charge);
    await untilTrouble(chain, `${new URL(second.url).host} has another block`);
    await bench.untilState([charge], 'mined');
    await untilAskedAgain(charge, 3);
    expect(bench.listener.kinds(charge)).not.toContain('final');
    thaw(second);
    await bench.untilState([charge], 'final');
    await expectPulledOnce(charge);
    await untilWell(chain);
  });

  it('one that does not know a final charge does not reorg it out', async () => {
    stopPump = world.pump();
    const [first, second] = [await liar(), await liar()];
    const { charge } = await charging([first, second]);
    await bench.charge(charge);
    await bench.untilState([charge], 'final');
    forgetTransactions(first);
    await untilAskedAgain(charge, 3);
    expect(bench.logged.map(({ message }) => message)).not.toContain('transaction was reorged out');
    await world.mine(3);
    await bench.until('it is finalized', () => bench.listener.kinds(charge).includes('finalized'));
    await expectPulledOnce(charge);
  });

  it('one that does not know an allowance yet refuses nothing that the other would charge', async () => {
    const [late, node] = [await liar(), await liar()];
    const { charge } = await charging([late, node]);
    const poor = { ...charge, from: await world.payer('mrc_a', { allowance: 0n }) };
    freezeAt(late, await world.anvil.provider.getBlockNumber());
    await world.approve(poor.from, 'mrc_a', 10_000_000n);
    stopPump = world.pump();
    await bench.charge(poor);
    await bench.until('they disagree', () =>
      bench.logged.some(({ message }) => message.startsWith('nodes disagree whether')),
    );
    expect(bench.listener.reported).toEqual([]);
    thaw(late);
    await bench.untilState([poor], 'final');
    await expectPulledOnce(poor);
  });

  it('one that does not know a deposit yet refuses no refund of it, and blocks no charge', async () => {
    const [late, node] = [await liar(), await liar()];
    const { charge } = await charging([late, node]);
    const account = paymentChargeKey('pay_late');
    const from = depositAddress(world.router, account);
    const to = HDNodeWallet.createRandom().address;
    const refund: ChargeDoc = {
      ...waitingCharge(world, { from, gross: 700n, shares: [['forward', to, 700n]], key: refundKey('dep_late:1') }),
      deposit: { kind: 'refund', account },
    };
    freezeAt(late, await world.anvil.provider.getBlockNumber());
    await world.mint(from, 700n);
    stopPump = world.pump();
    await bench.charge(refund, charge);
    await bench.until('they disagree', () =>
      bench.logged.some(({ message }) => message.startsWith('nodes disagree whether')),
    );
    await bench.untilState([charge], 'final');
    expect(bench.listener.of(refund)).toEqual([]);
    thaw(late);
    await bench.untilState([refund], 'final');
    expect((await world.transfers()).filter((transfer) => transfer.from === from)).toMatchObject([{ to }]);
  });

  it('one with an unreadable simulation does not prevent a refusal', async () => {
    const [node, empty] = [await liar(), await liar()];
    const { charge } = await charging([node, empty]);
    empty.rewriteOne = (answer, { method }) => (method === 'eth_call' ? { ...answer, result: '0x' } : answer);
    const poor = { ...charge, from: await world.payer('mrc_a', { allowance: 0n }) };
    await bench.charge(poor);
    await bench.untilState([poor], 'refused');
    expect(bench.listener.of(poor)).toEqual([{ kind: 'refused', reason: 'insufficient_allowance', landed: false }]);
  });

  it('a charge that both would refuse is refused', async () => {
    const { charge } = await charging([await liar(), await liar()]);
    const poor = { ...charge, from: await world.payer('mrc_a', { allowance: 0n }) };
    await bench.charge(poor);
    await bench.untilState([poor], 'refused');
    expect(bench.listener.of(poor)).toEqual([{ kind: 'refused', reason: 'insufficient_allowance', landed: false }]);
  });
});
