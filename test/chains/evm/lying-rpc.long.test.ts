import { HDNodeWallet, Transaction } from 'ethers';
import { depositAddress, paymentChargeKey, refundKey } from '../../../src/chains/evm/contracts/router.ts';
import { JsonRpc, NodeUnreachable } from '../../../src/chains/rpc.ts';
import type { ChargeDoc } from '../../../src/store/collections.ts';
import { startAnvil } from '../../support/anvil.ts';
import { type Answered, isBroadcast, type RpcProxy } from '../support/proxy.ts';
import { expectOnlyNewestRefuses } from '../support/stale-half.ts';
import { type EvmWish, useEvm } from './bench.ts';
import { forgetTransactions, forkAt, freezeAt } from './lies.ts';

const { world, bench } = useEvm();

/** A started chain on these nodes, and a charge that can be made. */
async function charging(nodes: readonly [RpcProxy, ...RpcProxy[]], wish: EvmWish = {}) {
  const [first, ...others] = nodes;
  const charge = await bench.newCharge();
  const rpcUrl = [first.url, ...others.map(({ url }) => url)] as const;
  return { chain: await bench.start({ ...wish, rpcUrl }), charge };
}

/** By the chain's own logs one pull has landed, and the payment got only that fact. */
async function expectPulledOnce(charge: ChargeDoc): Promise<void> {
  await bench.expectPulledOnce(charge);
  const kinds = bench.listener.kinds(charge).filter((kind) => kind !== 'finalized');
  expect(new Set(kinds)).toEqual(new Set(['mined', 'final']));
  expect(kinds.filter((kind) => kind === 'final')).toHaveLength(1);
  expect(await world.pulls(charge.from)).toMatchObject([{ txHash: (await bench.read(charge)).txHash }]);
}

function untilNodesDisagree(): Promise<void> {
  const isLogged = () => bench.logged.some(({ message }) => message.startsWith('nodes disagree whether'));
  return bench.until('the nodes disagree', isLogged);
}

const REFUSAL = { code: -32000, message: 'internal error' };

const GWEI = 1_000_000_000n;

describe('the answers of a node', () => {
  it('that suggests a tip of a thousand gwei: no sender pays more than the chain is worth', async () => {
    world.pump();
    const node = await bench.proxy();
    node.answer('eth_maxPriorityFeePerGas', { result: `0x${(1_000n * GWEI).toString(16)}` });
    const { charge } = await charging([node], { tipGwei: { min: 0, max: 2 } });
    await bench.settle(charge);
    const [version] = (await bench.transactionOf(charge)).versions;
    expect(version?.maxPriorityFeePerGas).toBe(`${2n * GWEI}`);
    expect(Transaction.from(version?.raw).maxPriorityFeePerGas).toBe(2n * GWEI);
  });

  it('that rejects a broadcast but relays it: nothing ends by that', async () => {
    world.pump();
    const node = await bench.proxy();
    let rejected = 0;
    node.answer('eth_sendRawTransaction', () => {
      rejected += 1;
      return { error: REFUSAL };
    });
    const { charge } = await charging([node]);
    await bench.settle(charge);
    expect(rejected).toBeGreaterThan(0);
    await expectPulledOnce(charge);
  });

  it('that is behind: it reorgs no charge out, and ends none', async () => {
    const node = await bench.proxy();
    const { charge } = await charging([node], { confirmations: 2 });
    const before = await world.height();
    await bench.charge(charge);
    await bench.untilPending(charge);
    await world.mine();
    await bench.untilState([charge], 'mined');
    freezeAt(node, before);
    await bench.untilAskedAgain(charge, 3);
    expect(await bench.read(charge)).toMatchObject({ state: 'mined' });
    node.heal();
    await world.mine(2);
    await bench.untilState([charge], 'final');
    await expectPulledOnce(charge);
    expect(bench.listener.kinds(charge).slice(0, 2)).toEqual(['mined', 'final']);
  });

  it('that gives receipts late: it is asked until it does', async () => {
    world.pump();
    const node = await bench.proxy();
    let late = 0;
    node.answer('eth_getTransactionReceipt', (answer) => {
      if (answer.result === null || late > 4) return answer;
      late += 1;
      return { ...answer, result: null };
    });
    const { charge } = await charging([node]);
    await bench.settle(charge);
    expect(late).toBe(5);
    await expectPulledOnce(charge);
    expect(await bench.records.count('transactions', {})).toBe(1);
  });

  it('that gets a block between two answers of a batch: it does not mean that another has the nonce', async () => {
    world.pump();
    const node = await bench.proxy();
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
    await bench.settle(charge);
    expect(torn).toBeGreaterThan(0);
    await expectPulledOnce(charge);
    const [transaction] = await bench.transactionsOf(charge);
    expect(transaction?.state).toMatch(/^final/);
    expect(transaction?.displaced).toBeUndefined();
  });
});

it('a receipt or a log in an unknown form hides no other, and health shows it', async () => {
  world.pump();
  const node = await bench.proxy();
  let hidden: unknown;
  node.rewriteOne = (answer, { method, params: [asked] }) => {
    if (method === 'eth_getLogs') return { ...answer, result: [{ topics: null }, ...[answer.result].flat()] };
    if (method !== 'eth_getTransactionReceipt' || answer.result === null) return answer;
    hidden ??= asked;
    return asked === hidden ? { ...answer, result: { status: 'new' } } : answer;
  };
  const charges = await bench.newCharges(2);
  const chain = await bench.start({ rpcUrl: node.url, charges: 1 });
  await bench.charge(...charges);
  await bench.until('the other is final', async () => (await bench.statesOf(charges)).includes('final'));
  expect(await bench.statesOf(charges)).toEqual(['final', 'sent']);
  const payer = await world.payer('mrc_a');
  const isPayers = ({ wallet }: { readonly wallet: string }) => wallet === payer.toLowerCase();
  await bench.until('the approval is reported', () => bench.listener.allowances.some(isPayers));
  await bench.untilTrouble(chain, 'logs in a form that cannot be read');
  await bench.untilTrouble(chain, 'receipts in a form that cannot be read');
  node.heal();
  await bench.untilState(charges, 'final');
  await bench.expectPulledOnce(...charges);
});

it('of several nodes at one address, those before an approval refuse nothing', () =>
  expectOnlyNewestRefuses(bench, freezeAt));

describe('the answers to a batch', () => {
  const calls = ['eth_chainId', 'eth_blockNumber', 'eth_gasPrice'].map((method) => ({ method, params: [] }));
  const kindsOf = async (rewrite: (answers: { id: number }[]) => unknown): Promise<string[]> => {
    const node = await bench.proxy();
    node.rewrite = (answer) => (Array.isArray(answer) ? rewrite(answer) : answer);
    const rpc = new JsonRpc({ url: node.url, timeoutMs: 2_000, batchMax: 100 });
    const answers = await rpc.batch(calls);
    await rpc.close();
    return answers.map((answer) => {
      if (answer.ok) return 'answered';
      return answer.error instanceof NodeUnreachable ? 'left out' : 'refused';
    });
  };

  it.each<[string, (answers: { id: number }[]) => unknown, string[]]>([
    ['in another order', (answers) => answers.reverse(), ['answered', 'answered', 'answered']],
    ['without one', (answers) => answers.slice(1), ['left out', 'answered', 'answered']],
    ['each twice', (answers) => [...answers, ...answers], ['answered', 'answered', 'answered']],
    [
      'one twice, and not the same',
      (answers) => [...answers, { ...answers[1], result: '0xbad' }],
      ['answered', 'left out', 'answered'],
    ],
    [
      'one for nobody here',
      (answers) => [{ id: 10 ** 9, result: '0x1' }, ...answers.slice(0, 2)],
      ['answered', 'answered', 'left out'],
    ],
    [
      'one with neither result nor error',
      (answers) => answers.map(({ id }, index) => (index === 2 ? { id } : { id, result: null })),
      ['answered', 'answered', 'left out'],
    ],
    ['one that is none', (answers) => [7, ...answers.slice(1)], ['left out', 'answered', 'answered']],
    [
      'numbered as text',
      (answers) => answers.map((answer) => ({ ...answer, id: `${answer.id}` })),
      ['answered', 'answered', 'answered'],
    ],
  ])('%s are each matched with their call', async (_title, rewrite, expected) => {
    expect(await kindsOf(rewrite)).toEqual(expected);
  });
});

describe('of two nodes', () => {
  it.each([
    ['another chain', 'is of chain 31338, expected 31337'],
    ['no such router', 'There is no contract at'],
  ])('one of %s is not used, and health shows it', async (what, sentence) => {
    world.pump();
    const anvil = await startAnvil(what === 'another chain' ? { chainId: 31_338 } : {});
    try {
      const [stranger, node] = [await bench.proxy(anvil.rpcUrl), await bench.proxy()];
      const { chain, charge } = await charging([stranger, node]);
      await bench.untilTrouble(chain, sentence);
      await bench.untilTrouble(chain, new URL(stranger.url).host);
      await bench.settle(charge);
      await expectPulledOnce(charge);
      expect(stranger.seen.some(isBroadcast)).toBe(false);
    } finally {
      await anvil.stop();
    }
  });

  it('one that is behind is asked last, and reorgs nothing out', async () => {
    const [stuck, node] = [await bench.proxy(), await bench.proxy()];
    const { chain, charge } = await charging([stuck, node], { timing: { rpcLagMs: 100 } });
    freezeAt(stuck, await world.height());
    world.pump();
    await world.mine(5);
    await bench.untilTrouble(chain, `${new URL(stuck.url).host} is behind the other nodes since`);
    await bench.settle(charge);
    await expectPulledOnce(charge);
    await world.mine(3);
    await bench.untilReported(charge, 'finalized');
    expect(bench.listener.kinds(charge)).toEqual(['mined', 'final', 'finalized']);
    stuck.heal();
    await bench.untilWell(chain);
  });

  it('with different blocks, neither ends a charge before they agree', async () => {
    const [first, second] = [await bench.proxy(), await bench.proxy()];
    const { chain, charge } = await charging([first, second]);
    forkAt(second, (await world.height()) + 1);
    world.pump();
    await bench.charge(charge);
    await bench.untilTrouble(chain, `${new URL(second.url).host} has another block`);
    await bench.untilState([charge], 'mined');
    await bench.untilAskedAgain(charge, 3);
    expect(bench.listener.kinds(charge)).not.toContain('final');
    second.heal();
    await bench.untilState([charge], 'final');
    await expectPulledOnce(charge);
    await bench.untilWell(chain);
  });

  it('one that does not know a final charge does not reorg it out', async () => {
    world.pump();
    const [first, second] = [await bench.proxy(), await bench.proxy()];
    const { charge } = await charging([first, second]);
    await bench.settle(charge);
    forgetTransactions(first);
    await bench.untilAskedAgain(charge, 3);
    expect(bench.logged.map(({ message }) => message)).not.toContain('transaction was reorged out');
    await world.mine(3);
    await bench.untilReported(charge, 'finalized');
    await expectPulledOnce(charge);
  });

  it('one that does not know an allowance yet refuses nothing that the other would charge', async () => {
    const [late, node] = [await bench.proxy(), await bench.proxy()];
    const { charge } = await charging([late, node]);
    const poor = { ...charge, from: await world.payer('mrc_a', { allowance: 0n }) };
    freezeAt(late, await world.height());
    await world.approve(poor.from, 'mrc_a', 10_000_000n);
    world.pump();
    await bench.charge(poor);
    await untilNodesDisagree();
    expect(bench.listener.reported).toEqual([]);
    late.heal();
    await bench.untilState([poor], 'final');
    await expectPulledOnce(poor);
  });

  it('one that does not know a deposit yet refuses no refund of it, and blocks no charge', async () => {
    const [late, node] = [await bench.proxy(), await bench.proxy()];
    const { charge } = await charging([late, node]);
    const account = paymentChargeKey('pay_late');
    const from = depositAddress(world.router, account);
    const to = HDNodeWallet.createRandom().address;
    const refund: ChargeDoc = {
      ...bench.chargeOf({ from, gross: 700n, shares: [['forward', to, 700n]], key: refundKey('dep_late:1') }),
      deposit: { kind: 'refund', account },
    };
    freezeAt(late, await world.height());
    await world.mint(from, 700n);
    world.pump();
    await bench.charge(refund, charge);
    await untilNodesDisagree();
    await bench.untilState([charge], 'final');
    expect(bench.listener.of(refund)).toEqual([]);
    late.heal();
    await bench.untilState([refund], 'final');
    expect(await world.movedFrom(from)).toMatchObject([{ to }]);
  });

  it('one with an unreadable simulation does not prevent a refusal', async () => {
    const [node, empty] = [await bench.proxy(), await bench.proxy()];
    const { charge } = await charging([node, empty]);
    empty.answer('eth_call', { result: '0x' });
    const poor = { ...charge, from: await world.payer('mrc_a', { allowance: 0n }) };
    await bench.refuse(poor);
    expect(bench.listener.of(poor)).toEqual([{ kind: 'refused', reason: 'insufficient_allowance', landed: false }]);
  });
});
