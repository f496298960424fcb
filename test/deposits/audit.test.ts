import { HDNodeWallet, Wallet } from 'ethers';
import { auditAll } from '../../src/billing/audit/audit.ts';
import { auditNewBlocks, type RecurringAuditDeps } from '../../src/billing/audit/recurring.ts';
import { auditState } from '../../src/billing/audit/state.ts';
import type { ChainReader } from '../../src/chains/chain-reader.ts';
import { encodeRefundDeposit } from '../../src/chains/evm/contracts/router.ts';
import { EvmChainReader } from '../../src/chains/evm/reader/chain-reader.ts';
import { JsonRpc } from '../../src/chains/rpc.ts';
import type { DepositArrival, DepositDoc, DifferenceDoc, WatchDoc } from '../../src/store/collections.ts';
import { receiptOf } from '../../stage/receipt.ts';
import { until } from '../../stage/until.ts';
import { Bank, DUE } from './support/bank.ts';

/**
 * The audit of deposits on a real chain: one payment got too much; a part was refunded, and a part is too little for
 * that.
 */
const OVER = 2_000_000n;
const HELD = 3_000n;

let bank: Bank;
let reader: ChainReader;
let deps: RecurringAuditDeps;
let id: string;
let book: DepositDoc;
let watch: WatchDoc;

beforeAll(async () => {
  bank = await Bank.open();
  const { anvil, chainId, router, token, usdt, senderKeys } = bank.world;
  const rpc = new JsonRpc({ url: anvil.rpcUrl, timeoutMs: 20_000, batchMax: 100 });
  const senders = senderKeys.map((key) => new Wallet(key).address);
  reader = new EvmChainReader({
    chainId,
    label: 'Here',
    rpc,
    routers: [router],
    tokens: [token, usdt],
    senders,
    confirmations: 1,
  });
  const log = { warn: () => {} };
  deps = { store: bank.store, catalog: bank.catalog, chainReaders: [reader], clock: () => new Date(), log };

  const payer = await wallet();
  const { deposit, id: paymentId } = await bank.ask(await wallet());
  id = paymentId;
  await bank.send(payer, deposit?.address ?? '', DUE + OVER);
  await bank.send(payer, deposit?.address ?? '', HELD);
  const fates = async () => (await bank.book(id)).arrivals.map(({ fate }) => fate).join();
  await until('all is done', fates, (now) => now === 'refunded,held');
  book = await bank.book(id);
  const [stored] = await bank.store.records.get('watches', [id]);
  if (!stored) throw new Error('nobody searches for deposits');
  watch = stored;
}, 120_000);

afterAll(async () => {
  await reader?.close();
  await bank?.close();
});

afterEach(async () => {
  await bank.store.records.change('deposits', id, {}, { set: { arrivals: book.arrivals } });
  await bank.store.records.insert('watches', [watch]);
});

async function wallet(): Promise<string> {
  const { address } = HDNodeWallet.createRandom();
  await bank.world.anvil.provider.send('anvil_setBalance', [address, '0x21e19e0c9bab2400000']);
  return address;
}

async function differences(): Promise<readonly DifferenceDoc[]> {
  return (await auditAll(deps, null)).flatMap((audit) => audit.differences);
}

/** Changes the deposit's first arrival, which was refunded in part. */
async function alter(change: (arrival: DepositArrival) => DepositArrival): Promise<void> {
  const arrivals = book.arrivals.map((arrival, index) => (index === 0 ? change(arrival) : arrival));
  await bank.store.records.change('deposits', id, {}, { set: { arrivals } });
}

describe('the audit of deposits', () => {
  it('finds no difference among charged, refunded and held money, and has compared the refund', async () => {
    const [audit] = await auditAll(deps, null);
    expect(audit).toMatchObject({ charges: 2, payments: 1, count: 0, differences: [] });
  });

  const elsewhere = '0x00000000000000000000000000000000000A11cE';
  it.each<[string, (arrival: DepositArrival) => DepositArrival, RegExp]>([
    ['more was sent back', (each) => ({ ...each, refunded: '2000001' }), /says 2000001 .* refunds were 2000000/],
    ['nothing was sent back', (each) => ({ ...each, refunded: '0', refund: null }), /2000000 were sent back, which no/],
    [
      'it went to somebody else',
      (each) => ({ ...each, refund: each.refund && { ...each.refund, to: elsewhere } }),
      /the to of the refund .* is 0x0{35}A11cE, expected 0x/,
    ],
    ['more had arrived', (each) => ({ ...each, amount: '12000005' }), /3000 base units .* there must be 3005/],
  ])('finds a deposit that says that %s', async (_, change, what) => {
    await alter(change);
    expect(await differences()).toMatchObject([
      { kind: 'deposit_differs', paymentId: id, what: expect.stringMatching(what) },
    ]);
  });

  it('finds a refund that is in the ledger but not on the chain', async () => {
    const key = book.arrivals[0]?.refund?.key ?? '';
    const [charge] = await bank.store.records.get('charges', [`${key}:1`]);
    const txHash = `0x${'7'.repeat(64)}`;
    await bank.store.records.change('charges', `${key}:1`, {}, { set: { txHash } });
    expect((await differences()).map(({ kind }) => kind)).toContain('not_on_chain');
    await bank.store.records.change('charges', `${key}:1`, {}, { set: { txHash: charge?.txHash ?? null } });
    expect(await differences()).toEqual([]);
  });

  it('finds a refund on the chain that differs from its charge', async () => {
    const key = book.arrivals[0]?.refund?.key ?? '';
    await bank.store.records.change('charges', `${key}:1`, {}, { set: { gross: '1999999' } });
    const found = await differences();
    await bank.store.records.change('charges', `${key}:1`, {}, { set: { gross: '2000000' } });
    expect(found).toContainEqual(expect.objectContaining({ kind: 'charge_differs', paymentId: id, chargeKey: key }));
  });

  it('runs in the job part by part, and keeps open differences until they are resolved', async () => {
    const touch = async () => {};
    const { records } = bank.store;
    await auditNewBlocks(deps, touch);
    expect(await auditState(records)).toMatchObject({ differences: 0 });
    await alter((each) => ({ ...each, refunded: '2000001' }));
    await auditNewBlocks(deps, touch);
    await auditNewBlocks(deps, touch);
    expect(await auditState(records)).toMatchObject({ differences: 1 });
    await alter((each) => each);
    await auditNewBlocks(deps, touch);
    expect(await auditState(records)).toMatchObject({ differences: 0 });
  });

  it('counts tokens as a residue when nobody searches for them any more, but not before', async () => {
    const token = bank.world.usdt;
    await bank.store.records.remove('watches', [id]);
    await bank.send(await wallet(), book.address, 40n, token);
    const what = `40 base units of ${token} are left at the deposit address ${book.address}, and its deposit explains 0`;
    expect(await differences()).toEqual([expect.objectContaining({ kind: 'residue', paymentId: id, what })]);
    await bank.store.records.insert('watches', [watch]);
    expect(await differences()).toEqual([]);
  });

  it('finds the native coin until a check has seen it', async () => {
    const { id: other, deposit } = await bank.ask(null);
    const address = deposit?.address ?? '';
    await bank.world.anvil.provider.send('anvil_setBalance', [address, '0x9']);
    const what = expect.stringMatching(/^9 base units of the native coin are left at the deposit address 0x/);
    expect(await differences()).toEqual([expect.objectContaining({ kind: 'residue', paymentId: other, what })]);
    await bank.billing.watcher.check([other]);
    expect(await differences()).toEqual([]);
    await bank.world.anvil.provider.send('anvil_setBalance', [address, '0x0']);
    expect(await differences()).toEqual([]);
  });

  it('finds a refund by hand with the key of a sender', async () => {
    const { world } = bank;
    const refund = `0x${'5e'.repeat(32)}`;
    const to = await wallet();
    const data = encodeRefundDeposit({ key: book.account, refund, token: world.token, to, amount: HELD });
    const sender = new Wallet(world.senderKeys[0] ?? '', world.anvil.provider);
    const sent = await sender.sendTransaction({ to: world.router, data });
    await receiptOf(world.anvil.provider, sent.hash);
    const found = await differences();
    expect(found).toHaveLength(2);
    const unknown = { kind: 'unknown_charge', chargeKey: refund, txHash: sent.hash };
    expect(found).toContainEqual(expect.objectContaining(unknown));
    const what = expect.stringMatching(/^0 base units .* there must be 3000$/);
    expect(found).toContainEqual(expect.objectContaining({ kind: 'deposit_differs', paymentId: id, what }));
  });
});
