import type { RefundState } from '../../machines/refund/context.ts';
import { acknowledgeRefunds } from '../../src/billing/administration/acknowledge.ts';
import { auditAll } from '../../src/billing/audit/audit.ts';
import { byWeight } from '../../src/billing/audit/parts.ts';
import { auditNewBlocks, type RecurringAuditDeps } from '../../src/billing/audit/recurring.ts';
import { auditState } from '../../src/billing/audit/state.ts';
import type {
  ChainPage,
  ChainReader,
  Holding,
  OnChainCharge,
  OnChainRefund,
  Residue,
} from '../../src/chains/chain-reader.ts';
import { NATIVE_COIN } from '../../src/chains/charges.ts';
import { merchantSalt, refundKey } from '../../src/chains/evm/contracts/router.ts';
import { refundWatchId } from '../../src/model/refund.ts';
import type { ChargeDoc, DepositArrival } from '../../src/store/collections.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { LedgerStore } from '../../src/store/port.ts';
import { scriptedCatalog } from '../../stage/scripted-chain.ts';
import { arrival, charge as chargeDoc, deposit, watch } from '../store/support/documents.ts';
import { ALICE, BOB, CAROL } from '../support/bodies.ts';
import { mandateDoc } from '../support/mandate-doc.ts';
import {
  NOW,
  PLAYED_ON,
  PLAYED_TOKEN,
  type SettledPayment,
  type SettledWish,
  seenRefund,
  settledPayment,
} from '../support/settled-payment.ts';

/** The audit against a scripted chain. `test/scripts/audit.long.test.ts` tries it against real chains. */
const catalog = scriptedCatalog();

/** The chain's record; a test sets the blocks. */
class ScriptedChainReader implements ChainReader {
  readonly chainId = PLAYED_ON;
  readonly family = 'evm';
  readonly label = 'A chain';
  readonly router = CAROL;
  head_ = 100;
  pages: (Partial<ChainPage> & { readonly block: number })[] = [];
  left: Residue[] = [];
  held: Holding[] = [];
  readonly read_: (readonly [from: number, to: number])[] = [];

  merchantOf = ({ merchantId, mode }: Pick<ChargeDoc, 'merchantId' | 'mode'>) => merchantSalt(merchantId, mode);
  evidence = async () => null;
  head = async () => this.head_;
  blockAt = async () => 0;
  residues: ChainReader['residues'] = async () => this.left;
  holdings = async (addresses: readonly string[]) => addresses.map(() => this.held);
  close = async () => {};

  async *read(from: number, to: number) {
    this.read_.push([from, to]);
    const nothing = { charges: [], refunds: [], others: [] };
    for (const page of this.pages) if (page.block >= from && page.block <= to) yield { ...nothing, ...page };
  }

  async refunds(asked: readonly { readonly key: string }[]) {
    const seen = this.pages.flatMap(({ refunds = [] }) => refunds);
    return seen.filter((refund) => asked.some(({ key }) => key === refund.key));
  }

  async transactions(hashes: readonly string[]) {
    const charges = this.pages.flatMap((page) => page.charges ?? []);
    return new Map(hashes.map((hash) => [hash, charges.filter(({ txHash }) => txHash === hash)]));
  }
}

let store: LedgerStore;
let reader: ScriptedChainReader;
let deps: RecurringAuditDeps;
let warned: object[];
beforeEach(() => {
  store = openMemoryStore();
  reader = new ScriptedChainReader();
  warned = [];
  deps = {
    store,
    catalog,
    chainReaders: [reader],
    clock: () => NOW,
    log: { warn: (fields) => void warned.push(fields) },
  };
});

/** A settled payment with its charge and transaction, and the chain's record of it. */
async function settled(wish: SettledWish = {}): Promise<SettledPayment> {
  const made = await settledPayment(store, wish);
  reader.pages.push({ block: made.seen.block.number, charges: [made.seen], others: [] });
  return made;
}

async function kinds(): Promise<string[]> {
  const audits = await auditAll(deps, null);
  return audits.flatMap(({ differences }) => differences.map(({ kind }) => kind));
}

/** Settled payments in these blocks whose charges are missing in the ledger. Resolves with those charges. */
async function lost(blocks: readonly number[]): Promise<ChargeDoc[]> {
  const charges: ChargeDoc[] = [];
  for (const block of blocks) charges.push((await settled({ block })).charge);
  await store.records.remove(
    'charges',
    charges.map(({ _id }) => _id),
  );
  return charges;
}

describe('the audit', () => {
  it('finds no difference if chain and ledger agree, and none in pending work', async () => {
    await settled();
    await settled({ state: 'sent', status: 'pending' });
    await settled({ state: 'sent', status: 'settled' });
    expect(await kinds()).toEqual([]);
  });

  it.each<[string, Partial<OnChainCharge>, ...also: string[]]>([
    ['another amount', { gross: 9n }],
    ['another payer', { from: CAROL }],
    ['another merchant', { merchant: merchantSalt('mrc_b', 'test') }],
    ['another token', { token: BOB }],
    ['other shares', { shares: [] }],
    ['in another block', { block: { number: 49, hash: null } }],
    ['under a mandate', { isBounded: true }, 'not_on_chain'],
  ])('finds that the chain has charged %s', async (_, change, ...also) => {
    const { seen } = await settled();
    reader.pages = [{ block: 50, charges: [{ ...seen, ...change }], others: [] }];
    expect(await kinds()).toEqual(['charge_differs', ...also]);
  });

  describe('of a refund by the merchant', () => {
    /** The payment has this refund, and the chain shows a transfer that differs so from that of a settled one. */
    async function given(refund: Partial<RefundState>, ...shown: readonly Partial<OnChainRefund>[]) {
      const { id, key } = await settled({ refunds: [refund] });
      reader.pages.push({ block: 60, refunds: shown.map((change) => seenRefund(key, change)) });
      return { id, kinds: await kinds() };
    }
    const expired = { status: 'expired', transfer: null, settledAt: null } as const;

    it('finds no difference if both agree', async () => {
      expect((await given({}, {})).kinds).toEqual([]);
    });

    it.each<[string, Partial<OnChainRefund>, readonly string[]]>([
      ['of another amount', { amount: 3_999_999n }, ['refund_differs']],
      ['to another receiver', { receiver: CAROL }, ['refund_differs']],
      ['in another token', { token: BOB }, ['refund_differs']],
      ['in another block', { block: { number: 61, hash: '0xb61' } }, ['refund_differs']],
      ['in another transaction', { transaction: '0xother' }, ['refund_differs', 'unknown_refund']],
    ])('finds that the chain has a settled one %s', async (_, change, found) => {
      expect((await given({}, change)).kinds.sort()).toEqual(found);
    });

    it('finds a settled one that the chain does not have', async () => {
      expect((await given({})).kinds).toEqual(['refund_differs']);
    });

    it('finds one that came when nobody searched for it any more, and wakes nobody for it', async () => {
      expect((await given(expired, {})).kinds).toEqual(['unknown_refund']);
      await auditNewBlocks(deps, async () => {});
      expect(await auditState(store.records)).toMatchObject({ differences: 0 });
    });

    it('is silent about one that staff have acknowledged, and about no other', async () => {
      const { id } = await given(expired, {}, { index: 1, transaction: '0xagain' });
      const found = async () => (await auditAll(deps, null)).flatMap(({ differences }) => differences);
      const order = { by: 'staff:ada', reason: 'the merchant knows it' };
      const change = { store, clock: () => new Date() };
      expect(await acknowledgeRefunds(change, await found(), '0xagain', order)).toEqual([id]);
      expect((await found()).map(({ txHash }) => txHash)).not.toContain('0xagain');
      expect(await found()).toHaveLength(1);
      expect(await store.records.find('staffJournal', { where: {}, limit: 5 })).toMatchObject([
        { ...order, details: { paymentId: id, transaction: '0xagain' } },
      ]);
    });

    it('waits for the watch that will tell the payment of it, and not for more than it will tell', async () => {
      const { id } = await given(expired, {}, { index: 1, transaction: '0xagain' });
      await store.records.insert('watches', [watch({ _id: refundWatchId(id), chainId: PLAYED_ON })]);
      expect((await auditAll(deps, null)).flatMap(({ differences }) => differences)).toMatchObject([
        { kind: 'unknown_refund', paymentId: id, txHash: '0xagain' },
      ]);
    });

    it.each([
      ['of the key, between strangers', { from: CAROL, receiver: CAROL }],
      ['of a key that is no charge of the ledger', { key: `0x${'9'.repeat(64)}` }],
      ['of nothing', { amount: 0n }],
    ])('leaves a log alone %s', async (_, change) => {
      expect((await given(expired, change)).kinds).toEqual([]);
    });
  });

  describe('of a charge under a mandate', () => {
    const mandate = mandateDoc({ _id: `0x${'6d'.repeat(32)}`, agreement: `0x${'a6'.repeat(32)}` });
    beforeEach(async () => {
      await store.records.insert('mandates', [mandate]);
    });

    it('finds no difference if chain and ledger agree', async () => {
      await settled({ mandate });
      expect(await kinds()).toEqual([]);
    });

    it.each<[string, Partial<OnChainCharge>, RegExp]>([
      [
        'an open charge',
        { isBounded: false },
        /were taken from 0x\w+ without a mandate, with the key of .+ mandate 0x6d/,
      ],
      ['one of another payer', { from: CAROL }, new RegExp(`from ${CAROL} under a mandate of another payer`)],
    ])('finds %s with its key, beside it or in its place', async (_what, change, sentence) => {
      const { seen, id } = await settled({ mandate });
      const forged = { ...seen, ...change, txHash: '0xother' };
      reader.pages.push({ block: 60, charges: [forged], others: [] });
      const [audit] = await auditAll(deps, null);
      expect(audit?.differences).toMatchObject([{ kind: 'unknown_charge', paymentId: id, txHash: '0xother' }]);
      expect(audit?.differences[0]?.what).toMatch(sentence);
      reader.pages = [{ block: 50, charges: [{ ...seen, ...change }], others: [] }];
      expect(await kinds()).toEqual(['unknown_charge', 'not_on_chain']);
    });

    it('finds that the payment says otherwise, or that the mandate is not stored', async () => {
      const { charge } = await settled({ mandate });
      await store.records.remove('mandates', [mandate._id]);
      expect(await kinds()).toEqual(['payment_differs']);
      await store.records.insert('mandates', [mandate]);
      const other = { id: `0x${'7d'.repeat(32)}`, cycle: 1 };
      await store.records.insert('mandates', [{ ...mandate, _id: other.id }]);
      await store.records.change('charges', charge._id, {}, { set: { mandate: other } });
      const [audit] = await auditAll(deps, null);
      expect(audit?.differences.map(({ what }) => what)).toEqual([
        `its mandate is ${mandate._id}, expected ${other.id} as charged`,
      ]);
    });
  });

  describe('of a deposit', () => {
    const address = '0x00000000000000000000000000000000000d0e05';
    const key = refundKey(`${arrival().id}:1`);
    const block = { number: 50, hash: '0xb50' };
    const refund = { key, round: 1, attempt: 1, to: ALICE, amount: '2000000', notBefore: NOW, txHash: '0xback' };
    const given = { token: PLAYED_TOKEN, block };
    /** It got too much; a part was refunded, and a part is too little for that. */
    const arrivals = [
      arrival({ ...given, refunded: '2000000', fate: 'refunded', held: null, refund }),
      arrival({ ...given, id: 'dep_01hm0000000000000000000002', amount: '3000', charged: '0', held: 'below_cost' }),
    ];
    const book = deposit({ address, token: PLAYED_TOKEN, arrivals });
    const watched = watch({ _id: book._id, chainId: PLAYED_ON });
    const of = { paymentId: book._id, merchantId: 'mrc_a', token: PLAYED_TOKEN, from: address, block };
    const taken = chargeDoc({
      ...of,
      state: 'final',
      gross: '10000000',
      deposit: { kind: 'charge', account: book.account },
    });
    const back = chargeDoc({
      ...of,
      _id: `${key}:1`,
      key,
      state: 'final',
      gross: '2000000',
      shares: [{ role: 'forward', to: ALICE, amount: '2000000' }],
      deposit: { kind: 'refund', account: book.account },
      txHash: '0xback',
    });
    const seen: OnChainCharge = {
      ...{ key, router: CAROL, txHash: '0xback', block, merchant: merchantSalt('mrc_a', 'test'), token: PLAYED_TOKEN },
      ...{ from: address, gross: 2_000_000n, index: 3 },
      shares: [{ to: ALICE, account: null, amount: 2_000_000n, index: null }],
    };
    const holding = (token: string | null, amount: bigint): Holding => ({ token, amount, block: 100 });

    beforeEach(async () => {
      await store.records.insert('deposits', [book]);
      await store.records.insert('watches', [watched]);
      await store.records.insert('charges', [taken, back]);
      reader.pages = [{ block: 50, charges: [seen], others: [] }];
      reader.held = [holding(PLAYED_TOKEN, 3_000n), holding(null, 0n)];
    });

    /** The deposit's first arrival says something else. */
    async function alter(change: Partial<DepositArrival>): Promise<void> {
      const altered = arrivals.map((each, index) => (index === 0 ? { ...each, ...change } : each));
      await store.records.change('deposits', book._id, {}, { set: { arrivals: altered } });
    }

    async function differences() {
      return (await auditAll(deps, null)).flatMap((audit) => audit.differences);
    }

    it('finds no difference among charged, refunded and held money, and has compared the refund', async () => {
      expect(await auditAll(deps, null)).toMatchObject([{ charges: 1, count: 0 }]);
    });

    it.each<[string, Partial<DepositArrival>, RegExp]>([
      ['more was sent back', { refunded: '2000001' }, /says 2000001 .* refunds were 2000000/],
      ['nothing was sent back', { refunded: '0', refund: null }, /2000000 were sent back, which no/],
      [
        'it went to somebody else',
        { refund: { ...refund, to: CAROL } },
        /the to of the refund .* is 0x\w+, expected 0x/,
      ],
      ['more had arrived', { amount: '12000005' }, /3000 base units .* there must be 3005/],
    ])('finds one that says that %s', async (_, change, what) => {
      await alter(change);
      expect(await differences()).toMatchObject([
        { kind: 'deposit_differs', paymentId: book._id, what: expect.stringMatching(what) },
      ]);
    });

    it('finds a refund that the chain does not have, or that differs there', async () => {
      reader.pages = [];
      expect(await kinds()).toEqual(['not_on_chain']);
      reader.pages = [{ block: 50, charges: [{ ...seen, gross: 1_999_999n }], others: [] }];
      expect(await differences()).toContainEqual(
        expect.objectContaining({ kind: 'charge_differs', paymentId: book._id, chargeKey: key }),
      );
    });

    it('keeps a difference open in the job until it is resolved', async () => {
      const open = async () => {
        await auditNewBlocks(deps, async () => {});
        return (await auditState(store.records))?.differences;
      };
      expect(await open()).toBe(0);
      await alter({ refunded: '2000001' });
      expect([await open(), await open()]).toEqual([1, 1]);
      await alter({});
      expect(await open()).toBe(0);
    });

    it('counts tokens as a residue when nobody searches for them any more, but not before', async () => {
      reader.held = [...reader.held, holding(BOB, 40n)];
      expect(await differences()).toEqual([]);
      await store.records.remove('watches', [watched._id]);
      const what = `40 base units of ${BOB} are left at the deposit address ${address}, and its deposit explains 0`;
      expect(await differences()).toMatchObject([{ kind: 'residue', paymentId: book._id, what }]);
    });

    it('finds the native coin until a check has seen it', async () => {
      reader.held = [holding(PLAYED_TOKEN, 3_000n), holding(null, 9n)];
      const what = expect.stringMatching(/^9 base units of the native coin are left at the deposit address 0x/);
      expect(await differences()).toMatchObject([{ kind: 'residue', paymentId: book._id, what }]);
      const found = arrival({
        id: 'dep_01hm0000000000000000000003',
        token: NATIVE_COIN.evm,
        amount: '9',
        charged: '0',
      });
      await store.records.change('deposits', book._id, {}, { set: { arrivals: [...arrivals, found] } });
      expect(await differences()).toEqual([]);
    });
  });

  it('finds a key in two transactions of the chain', async () => {
    const { seen } = await settled();
    reader.pages.push({ block: 60, charges: [{ ...seen, txHash: '0xother' }], others: [] });
    expect(await kinds()).toEqual(['charged_twice']);
  });

  it('finds a payment that settled with another amount, or is charged but not settled', async () => {
    await settled({ amount: '10000001' });
    await settled({ status: 'failed' });
    expect(await kinds()).toEqual(['payment_differs', 'payment_differs']);
  });

  it('finds a charge on the chain that the ledger refused', async () => {
    const { charge } = await settled({ state: 'sent', status: 'failed' });
    await store.records.change('charges', charge._id, {}, { set: { state: 'refused' } });
    expect(await kinds()).toEqual(['unknown_charge']);
  });

  it('reports a deleted charge once, with its payment', async () => {
    const { id, key, charge } = await settled();
    await store.records.remove('charges', [charge._id]);
    const [audit] = await auditAll(deps, null);
    expect(audit?.differences).toMatchObject([{ kind: 'charge_missing', paymentId: id, chargeKey: key }]);
  });

  it('counts each difference once, however many there are', async () => {
    await lost(Array.from({ length: 1_005 }, () => 50));
    const [audit] = await auditAll(deps, null);
    expect(audit).toMatchObject({ payments: 1_005, count: 1_005 });
    expect(audit?.differences).toHaveLength(1_000);
  });

  it('finds a settled payment that the chain does not have', async () => {
    await settled();
    reader.pages = [];
    expect(await kinds()).toEqual(['not_on_chain']);
  });

  it('excuses money without a charge only if the ledger signed the transaction, and it may be known', async () => {
    const { txHash } = await settled();
    const other = { block: 50, what: 'something moved' };
    reader.pages.push({
      block: 50,
      charges: [],
      others: [
        { ...other, txHash, mayBeKnown: true },
        { ...other, txHash, mayBeKnown: false },
        { ...other, txHash: '0xother', mayBeKnown: true },
      ],
    });
    expect(await kinds()).toEqual(['unknown_movement', 'unknown_movement']);
  });

  it('finds money in places that must be empty', async () => {
    reader.left = [{ holder: 'the router', tenant: null, address: CAROL, token: PLAYED_TOKEN, amount: 5n }];
    const [audit] = await auditAll(deps, null);
    expect(audit?.differences[0]).toMatchObject({
      kind: 'residue',
      what: expect.stringContaining('left at the router'),
    });
  });
});

describe('the recurring audit', () => {
  const noTouch = async () => {};

  /** Runs the audit of new blocks. Resolves with the number of differences that are open then. */
  async function differencesAfterRun(): Promise<number | undefined> {
    await auditNewBlocks(deps, noTouch);
    return (await auditState(store.records))?.differences;
  }

  it('begins at the newest block of a chain without charges in the ledger, and continues from there', async () => {
    await auditNewBlocks(deps, noTouch);
    expect(reader.read_).toEqual([[100, 100]]);
    expect(await auditState(store.records)).toEqual({ at: NOW, differences: 0 });
    reader.head_ = 130;
    await settled({ block: 120 });
    await auditNewBlocks(deps, noTouch);
    expect(reader.read_).toEqual([
      [100, 100],
      [101, 130],
    ]);
    expect(await auditState(store.records)).toEqual({ at: NOW, differences: 0 });
  });

  it('begins with the first transaction that the ledger has', async () => {
    await settled({ block: 7 });
    await auditNewBlocks(deps, noTouch);
    expect(reader.read_).toEqual([[7, 100]]);
  });

  it('keeps a difference open, and checks it until it is resolved', async () => {
    const { charge } = await settled();
    await store.records.remove('charges', [charge._id]);
    expect(await differencesAfterRun()).toBe(1);
    expect(warned).toEqual([expect.objectContaining({ differences: 1 })]);
    reader.head_ = 200;
    expect(await differencesAfterRun()).toBe(1);
    expect(warned).toHaveLength(1);
    await store.records.insert('charges', [charge]);
    expect(await differencesAfterRun()).toBe(0);
  });

  it('counts each difference once in all runs, even if one block has more than are kept', async () => {
    const charges = await lost(Array.from({ length: 130 }, () => 50));
    for (let run = 0; run < 3; run += 1) {
      expect(await differencesAfterRun()).toBe(130);
    }
    await store.records.insert('charges', charges);
    expect(await differencesAfterRun()).toBe(0);
  });

  it('returns to differences that did not fit when there is room, and drops them when they are resolved', async () => {
    const charges = await lost(Array.from({ length: 130 }, (_, index) => 150 - index));
    reader.head_ = 200;
    await auditNewBlocks(deps, noTouch);
    expect(await differencesAfterRun()).toBe(130);
    const byBlock = charges.toSorted((one, other) => (one.block?.number ?? 0) - (other.block?.number ?? 0));
    await store.records.insert('charges', byBlock.slice(0, 10));
    expect(await differencesAfterRun()).toBe(120);
    await store.records.insert('charges', byBlock.slice(10));
    expect(await differencesAfterRun()).toBe(0);
    reader.read_.length = 0;
    await auditNewBlocks(deps, noTouch);
    expect(reader.read_).toEqual([]);
  });

  it("keeps money at a merchant's operator open while the merchant is not charged for", async () => {
    await settled();
    const tenant = { merchantId: 'mrc_a', mode: 'test' } as const;
    const left = { holder: 'the operator of mrc_a (test)', address: CAROL, token: PLAYED_TOKEN, amount: 5n, tenant };
    reader.residues = async (tenants) => (tenants.some(({ merchantId }) => merchantId === 'mrc_a') ? [left] : []);
    await auditNewBlocks(deps, noTouch);
    reader.head_ = 200;
    await auditNewBlocks(deps, noTouch);
    expect(await differencesAfterRun()).toBe(1);
    reader.residues = async () => [];
    expect(await differencesAfterRun()).toBe(0);
  });

  it('tries a chain again later if it does not answer', async () => {
    const silent = new ScriptedChainReader();
    silent.head = () => Promise.reject(new Error('the node does not answer'));
    await auditNewBlocks({ ...deps, chainReaders: [silent, reader] }, noTouch);
    expect(warned).toHaveLength(1);
    expect(reader.read_).toEqual([[100, 100]]);
  });

  it('reports its progress before it has been silent for long', async () => {
    const blocks = Array.from({ length: 50 }, (_, index) => index + 1);
    for (const block of blocks) await settled({ block });
    let silent = 0;
    let most = 0;
    const work = (size: number): void => {
      silent += size;
      most = Math.max(most, silent);
    };
    const { transactions } = reader;
    reader.transactions = (hashes) => {
      work(hashes.length);
      return transactions.call(reader, hashes);
    };
    await auditNewBlocks(deps, async () => {
      silent = 0;
    });
    expect(most).toBeLessThanOrEqual(20);
  });
});

describe('batches by weight', () => {
  const weightOf = (weight: number): number => weight;

  it.each<[weights: number[], parts: number[][]]>([
    [[], []],
    [[3], [[3]]],
    [
      [4, 6, 1],
      [[4, 6], [1]],
    ],
    [
      [11, 1, 11],
      [[11], [1], [11]],
    ],
    [
      [5, 5, 5, 5, 5],
      [[5, 5], [5, 5], [5]],
    ],
  ])('%j weigh at most 10 together: %j', (weights, parts) => {
    expect(byWeight(weights, weightOf, 10)).toEqual(parts);
  });
});
