import { getCreateAddress } from 'ethers';
import { NATIVE_COIN, NOT_IN_CATALOG } from '../../../src/chains/charges.ts';
import { depositAddress, paymentChargeKey, refundKey } from '../../../src/chains/evm/contracts/router.ts';
import { testTokenInterface } from '../../../src/chains/evm/contracts/test-token.ts';
import type { Arrival, Chain, DepositState } from '../../../src/chains/port.ts';
import type { ChargeDoc } from '../../../src/store/collections.ts';
import { newKey } from '../support/world.ts';
import { type EvmWish, useEvm } from './bench.ts';

const { world, bench } = useEvm({ pumps: true });

let made = 0;

/** A waiting refund of a part of a deposit address's balance. */
async function refundOf(amount: bigint, { there = amount }: { readonly there?: bigint } = {}): Promise<ChargeDoc> {
  made += 1;
  const account = paymentChargeKey(`pay_${made}`);
  const from = depositAddress(world.router, account);
  if (there > 0n) await world.mint(from, there);
  const to = world.stranger();
  const shares = [['forward', to, amount] as const];
  const charge = bench.chargeOf({ from, gross: amount, shares, key: refundKey(`dep_${made}:1`) });
  return { ...charge, deposit: { kind: 'refund', account } };
}

function depositKey({ deposit }: ChargeDoc): string {
  return deposit?.account ?? '';
}

describe('the refund of a deposit', () => {
  it('of more than the balance, or to a receiver that refuses it, is refused without a transaction', async () => {
    await bench.start();
    const little = await refundOf(700n, { there: 699n });
    const refused = await refundOf(700n);
    await world.refuse(refused.shares[0]?.to ?? '');
    await bench.refuse(little, refused);
    expect(bench.listener.of(little)).toEqual([{ kind: 'refused', reason: 'insufficient_balance', landed: false }]);
    expect(bench.listener.of(refused)).toMatchObject([{ kind: 'undeliverable', reason: 'forward_reverted' }]);
    expect(await bench.records.count('transactions', {})).toBe(0);
  });
});

/** Code of contracts that give everybody a balance of 5, and their reaction to any other call. */
const STRANGE = {
  'burns all gas that it is given': '0x36602414600b575b6007565b600560005260206000f3',
  reverts: '0x36602414600c5760006000fd5b600560005260206000f3',
} as const;

describe('the refund of an asset outside of the catalog', () => {
  /** A refund from an address that has only the money of the test. */
  async function other(asset: string, amount: bigint): Promise<ChargeDoc> {
    const refund = await refundOf(amount, { there: 0n });
    return { ...refund, token: NOT_IN_CATALOG, deposit: { kind: 'refund', account: depositKey(refund), asset } };
  }

  it('moves the native coin once', async () => {
    await bench.start();
    const refund = await other(NATIVE_COIN.evm, 700n);
    await world.setGas(refund.from, 1_000n);
    await bench.settle(refund);
    const balances = [refund.from, refund.shares[0]?.to ?? ''].map((each) => world.gasOf(each));
    expect(await Promise.all(balances)).toEqual([300n, 700n]);
  });

  it.each(Object.entries(STRANGE))(
    'is refused without a transaction if it %s, and blocks no other',
    async (_, code) => {
      await bench.start();
      const asset = world.stranger();
      await world.rpc('anvil_setCode', [asset, code]);
      const [strange, ordinary] = [await other(asset, 5n), await refundOf(800n)];
      await bench.charge(strange, ordinary);
      await bench.untilState([ordinary], 'final');
      await bench.untilState([strange], 'refused');
      expect(bench.listener.of(strange)).toMatchObject([{ kind: 'undeliverable', reason: 'forward_reverted' }]);
      expect(await bench.records.count('transactions', { chargeIds: strange._id })).toBe(0);
    },
  );
});

/** Code of a contract whose creation calls `transfer(to, 1)` of a token so many times. */
function dustCode(token: string, to: string, times: number): string {
  const call = testTokenInterface.encodeFunctionData('transfer', [to, 1n]).slice(2);
  const count = times.toString(16).padStart(4, '0');
  const once = `5b6000600060446000600073${token.slice(2)}5af150`;
  return `0x604461003760003961${count}${once}6001900380600b5700${call}`;
}

describe('money at a deposit address', () => {
  // Only the test decides the depth of a block.
  beforeEach(() => world.hold());

  /** The first check of this key's address. */
  async function check(
    chain: Chain,
    account: string,
    found: readonly Arrival[],
    others: readonly string[],
  ): Promise<DepositState> {
    const { address } = await chain.openDeposit(account);
    const [state] = await chain.readDeposits([bench.depositRead({ account, address }, { found, others })]);
    if (!state) throw new Error('an answer was left out');
    return state;
  }

  /** A deposit address with these amounts, each in a transaction of its own. */
  async function deposited({ amounts = [5n], ...wish }: EvmWish & { readonly amounts?: readonly bigint[] } = {}) {
    const proxy = await bench.proxy();
    const chain = bench.chain({ rpcUrl: proxy.url, ...wish });
    const account = newKey();
    const { address } = await chain.openDeposit(account);
    for (const amount of amounts) await world.mint(address, amount);
    const see = (found: readonly Arrival[] = [], others: readonly string[] = []) =>
      check(chain, account, found, others);
    const receipts = () => proxy.seen.filter(({ method }) => method === 'eth_getTransactionReceipt').length;
    return { proxy, chain, account, address, see, receipts };
  }

  it('counts when it is as deep as a charge has to be, and is seen before that, but not after a reorg', async () => {
    const { address, see } = await deposited({ confirmations: 3 });
    expect(await see()).toMatchObject({ arrivals: [], shallow: 5n });
    await world.reorg(1);
    expect(await see()).toMatchObject({ arrivals: [], shallow: 0n });
    await world.mint(address, 5n);
    expect(await see()).toMatchObject({ arrivals: [], shallow: 5n });
    await world.mine(1);
    expect(await see()).toMatchObject({ arrivals: [], shallow: 5n });
    await world.mine(1);
    expect(await see()).toMatchObject({ arrivals: [{ amount: 5n }], shallow: 0n });
  });

  /** A transaction that sends one base unit to `to` so many times. */
  async function dust(to: string, times: number): Promise<void> {
    const nonce = await world.anvil.provider.getTransactionCount(world.owner);
    await world.mint(getCreateAddress({ from: world.owner, nonce: nonce + 1 }), BigInt(times));
    await world.act(world.owner, null, dustCode(world.token, to, times));
  }

  it('in dust transfers is read once per transaction, up to the remaining room', async () => {
    const { address, see, receipts } = await deposited({ amounts: [] });
    await dust(address, 300);
    await dust(address, 300);
    const { arrivals, isCut } = await see();
    expect([arrivals.length, isCut]).toEqual([500, true]);
    expect(new Set(arrivals.map(({ txHash, index }) => `${txHash}:${index}`)).size).toBe(500);
    expect(receipts()).toBe(2);
    const first = arrivals.filter(({ txHash }) => txHash === arrivals[0]?.txHash);
    expect((await see(first)).arrivals).toHaveLength(300);
    expect(receipts()).toBe(3);
    const rest = await see(arrivals);
    expect([rest.arrivals.length, rest.isCut]).toEqual([100, false]);
  });

  it('in many transactions is read over several checks, each from the end of the last one', async () => {
    const { see, receipts } = await deposited({ amounts: Array.from({ length: 60 }, () => 1n) });
    const first = await see();
    expect([first.arrivals.length, first.isCut]).toEqual([50, true]);
    const { arrivals, isCut } = await see(first.arrivals);
    expect([arrivals.length, isCut]).toEqual([10, false]);
    expect(receipts()).toBe(60);
  });

  it('is searched for again in blocks that a reorganisation may replace, also below the confirmations', async () => {
    const { see } = await deposited({ confirmations: 3 });
    await world.mine(2);
    const { since } = await see();
    expect(since).toBeLessThanOrEqual((await world.height()) - 20);
  });

  it('is unread if the node shows no receipt', async () => {
    const { proxy, see } = await deposited();
    const error = { code: -32_000, message: 'unknown transaction type' };
    proxy.answer('eth_getTransactionReceipt', { error });
    const others = [{ token: world.token, amount: 5n, why: 'unread' }];
    expect(await see()).toMatchObject({ arrivals: [], others, isCut: true });
    proxy.heal();
    expect(await see()).toMatchObject({ arrivals: [{ amount: 5n }], others: [], isCut: false });
  });

  it('is read from the logs of blocks, whatever else the node lists', async () => {
    const { proxy, see } = await deposited();
    proxy.answer('eth_getLogs', (answer) => {
      if (!Array.isArray(answer.result)) return answer;
      const pending = { blockNumber: null, blockHash: null, logIndex: null, transactionIndex: null };
      const more = answer.result.flatMap((log) => [
        { ...log, ...pending },
        { ...log, removed: true },
      ]);
      return { ...answer, result: [...more, ...answer.result] };
    });
    expect(await see()).toMatchObject({ arrivals: [{ amount: 5n }], others: [], isCut: false });
  });

  it('is seen by its balance if the catalog does not have it, whatever the contract answers', async () => {
    const { address, see } = await deposited({ amounts: [] });
    const [strange, burns, nobody] = [1, 2, 3].map(() => world.stranger());
    await world.rpc('anvil_setCode', [strange, STRANGE.reverts]);
    await world.rpc('anvil_setCode', [burns, '0x5b600056']);
    await world.setGas(address, 9n);
    await world.mint(address, 7n);
    const { arrivals, others } = await see([], [burns ?? '', strange ?? '', nobody ?? '']);
    expect(arrivals).toMatchObject([{ amount: 7n }]);
    expect(others).toMatchObject([
      { token: NATIVE_COIN.evm, amount: 9n, why: 'not_in_catalog' },
      { token: strange, amount: 5n, why: 'not_in_catalog' },
    ]);
  });

  it('is what an audit reads there: of each token of the catalog, and of the native coin', async () => {
    const { address } = await deposited();
    await world.setGas(address, 9n);
    const reader = world.reader();
    const block = await world.height();
    expect(await reader.holdings([address, world.stranger()])).toEqual([
      [
        { token: world.token, amount: 5n, block },
        { token: null, amount: 9n, block },
      ],
      [
        { token: world.token, amount: 0n, block },
        { token: null, amount: 0n, block },
      ],
    ]);
    await reader.close();
  });

  it('does not include transfers of zero, which anybody can make', async () => {
    const { address, see } = await deposited({ amounts: [] });
    const payer = await world.payer('mrc_a', { allowance: 0n });
    await world.transfer(payer, address, 0n);
    await world.transfer(payer, address, 7n);
    const { arrivals } = await see();
    expect(arrivals).toMatchObject([{ amount: 7n, from: payer }]);
    expect((await see(arrivals)).arrivals).toEqual([]);
  });
});
