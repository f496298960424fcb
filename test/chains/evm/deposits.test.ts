import { getCreateAddress, HDNodeWallet, zeroPadValue } from 'ethers';
import { NATIVE_COIN, NOT_IN_CATALOG } from '../../../src/chains/charges.ts';
import { depositAddress, paymentChargeKey, refundKey } from '../../../src/chains/evm/contracts/router.ts';
import { testTokenInterface } from '../../../src/chains/evm/contracts/test-token.ts';
import type { Arrival, Chain, DepositState } from '../../../src/chains/port.ts';
import type { ChargeDoc } from '../../../src/store/collections.ts';
import { Bench } from './bench.ts';
import { startProxy } from './proxy.ts';
import { startWorld, type Transfer, type World, waitingCharge } from './world.ts';

let world: World;
let stopPump: () => void = () => {};
let bench: Bench;

beforeAll(async () => {
  world = await startWorld();
  stopPump = world.pump();
});
afterEach(() => bench?.stop());
afterAll(async () => {
  stopPump();
  await world?.stop();
});

let made = 0;

/** A waiting refund of a part of a deposit address's balance. */
async function refundOf(amount: bigint, { there = amount }: { readonly there?: bigint } = {}): Promise<ChargeDoc> {
  made += 1;
  const account = paymentChargeKey(`pay_${made}`);
  const from = depositAddress(world.router, account);
  if (there > 0n) await world.mint(from, there);
  const to = HDNodeWallet.createRandom().address;
  const shares = [['forward', to, amount] as const];
  const charge = waitingCharge(world, { from, gross: amount, shares, key: refundKey(`dep_${made}:1`) });
  return { ...charge, deposit: { kind: 'refund', account } };
}

function depositKey({ deposit }: ChargeDoc): string {
  return deposit?.account ?? '';
}

/** The same refund from a caller that does not know the first. */
function again(refund: ChargeDoc): ChargeDoc {
  return { ...refund, _id: `${refund.key}:2`, attempt: 2 };
}

async function from(refund: ChargeDoc): Promise<Transfer[]> {
  return (await world.transfers()).filter((transfer) => transfer.from === refund.from);
}

async function started(): Promise<Bench> {
  bench = new Bench(world);
  await bench.chain({}).start();
  return bench;
}

describe('the refund of a deposit', () => {
  it('goes from its address straight to the receiver, in one batch with charges', async () => {
    await started();
    const payer = await world.payer('mrc_a');
    const charges = [waitingCharge(world, { from: payer }), waitingCharge(world, { from: payer })];
    const refunds = [await refundOf(700n), await refundOf(800n, { there: 1_000n })];
    await bench.charge(...charges, ...refunds);
    await bench.untilState([...charges, ...refunds], 'final');
    for (const refund of refunds) {
      expect(await from(refund)).toMatchObject([{ to: refund.shares[0]?.to, amount: BigInt(refund.gross) }]);
      expect(bench.listener.kinds(refund)).toEqual(['mined', 'final']);
    }
  });

  it('that is requested again is found on the chain, and not made twice', async () => {
    await started();
    const refund = await refundOf(700n, { there: 2_000n });
    await bench.charge(refund);
    await bench.untilState([refund], 'final');
    const second = again(refund);
    await bench.charge(second);
    await bench.untilState([second], 'final');
    expect(await from(refund)).toHaveLength(1);
    expect((await bench.read(second)).txHash).toBe((await bench.read(refund)).txHash);
  });

  it('of more than the balance, or to a receiver that refuses it, is refused without a transaction', async () => {
    await started();
    const little = await refundOf(700n, { there: 699n });
    const refused = await refundOf(700n);
    const refuses = testTokenInterface.encodeFunctionData('setRefusing', [refused.shares[0]?.to, true]);
    await world.act(world.owner, world.usdc, refuses);
    await bench.charge(little, refused);
    await bench.untilState([little, refused], 'refused');
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
    await started();
    const refund = await other(NATIVE_COIN.evm, 700n);
    await world.anvil.provider.send('anvil_setBalance', [refund.from, '0x3e8']);
    await bench.charge(refund);
    await bench.untilState([refund], 'final');
    const balances = [refund.from, refund.shares[0]?.to ?? ''].map((each) => world.anvil.provider.getBalance(each));
    expect(await Promise.all(balances)).toEqual([300n, 700n]);
  });

  it.each(Object.entries(STRANGE))(
    'is refused without a transaction if it %s, and blocks no other',
    async (_, code) => {
      await started();
      const asset = HDNodeWallet.createRandom().address;
      await world.anvil.provider.send('anvil_setCode', [asset, code]);
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
  beforeAll(() => stopPump());

  /** The first check of this key's address. */
  async function check(
    chain: Chain,
    account: string,
    found: readonly Arrival[] = [],
    others: readonly string[] = [],
  ): Promise<DepositState> {
    const [state] = await looks(chain, [account], found, others);
    if (!state) throw new Error('an answer was left out');
    return state;
  }

  /** The same for several addresses at once. */
  async function looks(
    chain: Chain,
    accounts: readonly string[],
    found: readonly Arrival[] = [],
    others: readonly string[] = [],
  ): Promise<DepositState[]> {
    const places = await Promise.all(accounts.map((account) => chain.openDeposit(account)));
    const read = {
      token: world.usdc,
      known: new Map<string, bigint>(),
      isMoving: false,
      found,
      limit: 500,
      others,
      since: null,
    };
    const createdAt = new Date();
    return chain.readDeposits(
      places.map(({ address }, index) => ({ ...read, account: accounts[index] ?? '', address, createdAt })),
    );
  }

  /** The transactions with transfers to the address. */
  async function transactionsTo(address: string): Promise<string[]> {
    const filter = { address: world.usdc, topics: [null, null, zeroPadValue(address, 32)], fromBlock: 0 };
    return (await world.anvil.provider.getLogs(filter)).map(({ transactionHash }) => transactionHash);
  }

  it('counts when it is as deep as a charge has to be, and is seen before that', async () => {
    bench = new Bench(world);
    const chain = bench.chain({ confirmations: 3 });
    const account = paymentChargeKey('pay_shallow');
    const { address } = await chain.openDeposit(account);
    await world.mint(address, 5n);
    expect(await check(chain, account)).toMatchObject({ arrivals: [], shallow: 5n });
    await world.mine(1);
    expect(await check(chain, account)).toMatchObject({ arrivals: [], shallow: 5n });
    await world.mine(1);
    expect(await check(chain, account)).toMatchObject({ arrivals: [{ amount: 5n }], shallow: 0n });
  });

  it('is not seen any more after a reorg', async () => {
    bench = new Bench(world);
    const chain = bench.chain({ confirmations: 3 });
    const account = paymentChargeKey('pay_fallen');
    const { address } = await chain.openDeposit(account);
    await world.mint(address, 5n);
    expect(await check(chain, account)).toMatchObject({ shallow: 5n });
    await world.anvil.provider.send('anvil_reorg', [1, []]);
    expect(await check(chain, account)).toMatchObject({ arrivals: [], shallow: 0n });
  });

  /** A transaction that sends one base unit to `to` so many times. */
  async function dust(to: string, times: number): Promise<void> {
    const nonce = await world.anvil.provider.getTransactionCount(world.owner);
    await world.mint(getCreateAddress({ from: world.owner, nonce: nonce + 1 }), BigInt(times));
    await world.act(world.owner, null, dustCode(world.usdc, to, times));
  }

  it('in dust transfers is read once per transaction, up to the remaining room', async () => {
    bench = new Bench(world);
    const proxy = await startProxy(world.anvil.rpcUrl);
    const chain = bench.chain({ rpcUrl: proxy.url });
    const account = paymentChargeKey('pay_dust');
    const { address } = await chain.openDeposit(account);
    await dust(address, 300);
    await dust(address, 300);
    const receipts = () => proxy.seen.filter(({ method }) => method === 'eth_getTransactionReceipt').length;
    const { arrivals, isCut } = await check(chain, account);
    expect([arrivals.length, isCut]).toEqual([500, true]);
    expect(new Set(arrivals.map(({ txHash, index }) => `${txHash}:${index}`)).size).toBe(500);
    expect(receipts()).toBe(2);
    const first = arrivals.filter(({ txHash }) => txHash === arrivals[0]?.txHash);
    expect((await check(chain, account, first)).arrivals).toHaveLength(300);
    expect(receipts()).toBe(3);
    const rest = await check(chain, account, arrivals);
    expect([rest.arrivals.length, rest.isCut]).toEqual([100, false]);
    await proxy.stop();
  });

  it('in many transactions is read over several checks, each from the end of the last one', async () => {
    bench = new Bench(world);
    const proxy = await startProxy(world.anvil.rpcUrl);
    const chain = bench.chain({ rpcUrl: proxy.url });
    const account = paymentChargeKey('pay_many');
    const { address } = await chain.openDeposit(account);
    for (let sent = 0; sent < 60; sent += 1) await world.mint(address, 1n);
    const first = await check(chain, account);
    expect([first.arrivals.length, first.isCut]).toEqual([50, true]);
    const { arrivals, isCut } = await check(chain, account, first.arrivals);
    expect([arrivals.length, isCut]).toEqual([10, false]);
    expect(proxy.seen.filter(({ method }) => method === 'eth_getTransactionReceipt')).toHaveLength(60);
    await proxy.stop();
  });

  it('is searched for again in blocks that a reorganisation may replace, also below the confirmations', async () => {
    bench = new Bench(world);
    const chain = bench.chain({ confirmations: 3 });
    const account = paymentChargeKey('pay_again');
    const { address } = await chain.openDeposit(account);
    await world.mint(address, 5n);
    await world.mine(2);
    const { since } = await check(chain, account);
    const { number } = (await world.anvil.provider.getBlock('latest')) ?? { number: 0 };
    expect(since).toBeLessThanOrEqual(number - 20);
  });

  it.each([
    ['does not show yet', { result: null }],
    ['refuses to show', { result: undefined, error: { code: -32_000, message: 'the answer is too large' } }],
  ])('is incomplete if a node %s a transaction, and blocks no other address', async (what, said) => {
    bench = new Bench(world);
    const proxy = await startProxy(world.anvil.rpcUrl);
    const chain = bench.chain({ rpcUrl: proxy.url });
    const [account, other] = [paymentChargeKey(`pay_hidden ${what}`), paymentChargeKey(`pay_beside ${what}`)];
    const places = await Promise.all([account, other].map((key) => chain.openDeposit(key)));
    for (const { address } of places) await world.mint(address, 5n);
    const [hidden] = await transactionsTo(places[0]?.address ?? '');
    proxy.rewriteOne = (answer, { method, params }) =>
      method === 'eth_getTransactionReceipt' && params[0] === hidden ? { ...answer, ...said } : answer;
    expect(await looks(chain, [account, other])).toMatchObject([
      { arrivals: [], shallow: 0n, isCut: true, since: null },
      { arrivals: [{ amount: 5n }], isCut: false },
    ]);
    proxy.rewriteOne = (answer) => answer;
    expect(await check(chain, account)).toMatchObject({ arrivals: [{ amount: 5n }], isCut: false });
    await proxy.stop();
  });

  it('is unread if the node shows no receipt', async () => {
    bench = new Bench(world);
    const proxy = await startProxy(world.anvil.rpcUrl);
    const chain = bench.chain({ rpcUrl: proxy.url });
    const account = paymentChargeKey('pay_unread');
    const { address } = await chain.openDeposit(account);
    await world.mint(address, 5n);
    const error = { code: -32_000, message: 'unknown transaction type' };
    proxy.rewriteOne = (answer, { method }) =>
      method === 'eth_getTransactionReceipt' ? { ...answer, result: undefined, error } : answer;
    const others = [{ token: world.usdc, amount: 5n, why: 'unread' }];
    expect(await check(chain, account)).toMatchObject({ arrivals: [], others, isCut: true });
    proxy.rewriteOne = (answer) => answer;
    expect(await check(chain, account)).toMatchObject({ arrivals: [{ amount: 5n }], others: [], isCut: false });
    await proxy.stop();
  });

  it('is read from the logs of blocks, whatever else the node lists', async () => {
    bench = new Bench(world);
    const proxy = await startProxy(world.anvil.rpcUrl);
    const chain = bench.chain({ rpcUrl: proxy.url });
    const account = paymentChargeKey('pay_pending');
    const { address } = await chain.openDeposit(account);
    await world.mint(address, 5n);
    proxy.rewriteOne = (answer, { method }) => {
      if (method !== 'eth_getLogs' || !Array.isArray(answer.result)) return answer;
      const pending = { blockNumber: null, blockHash: null, logIndex: null, transactionIndex: null };
      const more = answer.result.flatMap((log) => [
        { ...log, ...pending },
        { ...log, removed: true },
      ]);
      return { ...answer, result: [...more, ...answer.result] };
    };
    expect(await check(chain, account)).toMatchObject({ arrivals: [{ amount: 5n }], others: [], isCut: false });
    await proxy.stop();
  });

  it('is seen by its balance if the catalog does not have it, whatever the contract answers', async () => {
    bench = new Bench(world);
    const chain = bench.chain();
    const account = paymentChargeKey('pay_others');
    const { address } = await chain.openDeposit(account);
    const { provider } = world.anvil;
    const [strange, burns, nobody] = [1, 2, 3].map(() => HDNodeWallet.createRandom().address);
    await provider.send('anvil_setCode', [strange, STRANGE.reverts]);
    await provider.send('anvil_setCode', [burns, '0x5b600056']);
    await provider.send('anvil_setBalance', [address, '0x9']);
    await world.mint(address, 7n);
    const { arrivals, others } = await check(chain, account, [], [burns ?? '', strange ?? '', nobody ?? '']);
    expect(arrivals).toMatchObject([{ amount: 7n }]);
    expect(others).toMatchObject([
      { token: NATIVE_COIN.evm, amount: 9n, why: 'not_in_catalog' },
      { token: strange, amount: 5n, why: 'not_in_catalog' },
    ]);
  });

  it('does not include transfers of zero, which anybody can make', async () => {
    bench = new Bench(world);
    const chain = bench.chain();
    const account = paymentChargeKey('pay_nothing');
    const { address } = await chain.openDeposit(account);
    const payer = await world.payer('mrc_a', { allowance: 0n });
    const transfer = (amount: bigint) => testTokenInterface.encodeFunctionData('transfer', [address, amount]);
    await world.act(payer, world.usdc, transfer(0n));
    await world.act(payer, world.usdc, transfer(7n));
    const { arrivals } = await check(chain, account);
    expect(arrivals).toMatchObject([{ amount: 7n, from: payer }]);
    expect((await check(chain, account, arrivals)).arrivals).toEqual([]);
  });
});
