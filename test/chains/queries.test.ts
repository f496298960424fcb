import { spyOn } from 'jest-mock';
import type { MongoClient } from 'mongodb';
import { silentLog } from '../../scripts/lib/silent-log.ts';
import { canceledClaimants, claimants } from '../../src/billing/allowances/claimants.ts';
import { reservesAtMost } from '../../src/billing/allowances/reserves.ts';
import { revenueOf } from '../../src/billing/revenue/revenue.ts';
import { buildCatalog } from '../../src/chains/catalog.ts';
import { chainTiming, Reverts, Troubles } from '../../src/chains/context.ts';
import { nextNonce } from '../../src/chains/evm/sender/ledger.ts';
import { takeDue } from '../../src/chains/reconciler/reconciler.ts';
import { chargesInFlight } from '../../src/chains/sender/apply-reserves.ts';
import { recoverStarted } from '../../src/chains/sender/queue-lease.ts';
import { readWaiting } from '../../src/chains/sender/window.ts';
import { Agreements } from '../../src/chains/solana/agreements.ts';
import { Delegates, NO_ROOT } from '../../src/chains/solana/key-root.ts';
import { keepToMandates } from '../../src/chains/solana/sender/keep-to-mandates.ts';
import type { LedgerStore } from '../../src/store/port.ts';
import { actor, at, charge, insertActors, transaction } from '../store/support/documents.ts';
import { FaultyLine } from '../store/support/faulty-line.ts';
import { startTestDevnet } from '../support/devnet.ts';
import { mandateDoc } from '../support/mandate-doc.ts';

const DB = 'queries';
const CHAIN = 31_337;
const TOKEN = '0x1';
const SENDER = '0xsender';

/** The numbers of ended, waiting and started charges, and of those that other senders have in flight. */
const [OVER, WAITING, STARTED, SENT] = [3_000, 1_000, 20, 2_000];

/** The payers, and the subscriptions of each. */
const [PAYERS, EACH] = [100, 33];

type Explained = Readonly<Record<'found' | 'docs' | 'keys', number>> & { readonly sorts: boolean };

/**
 * The queries of sender and reconciler must cost by their results, not by older or waiting charges. Each query is sent
 * to MongoDB, and explained there.
 */
describe('the queries of the sender', () => {
  let line: FaultyLine;
  let raw: MongoClient;
  let store: LedgerStore;

  beforeAll(async () => {
    const devnet = await startTestDevnet();
    line = await FaultyLine.before(devnet.mongoUri);
    devnet.onStop(() => line.close());
    raw = await devnet.openClient();
    store = await devnet.openStore(DB, line.uri);
    const charges = [
      ...Array.from({ length: OVER }, (_, n) =>
        charge({ state: 'final', transactionId: `txn_${n}`, notBefore: at(n) }),
      ),
      ...Array.from({ length: WAITING }, (_, n) => charge({ from: `0x${n}`, notBefore: at(n) })),
      ...Array.from({ length: STARTED }, () => charge({ state: 'started', lane: SENDER, updatedAt: at(0) })),
      ...Array.from({ length: SENT }, (_, n) => charge({ from: `0xpayer${n + 50}`, state: 'sent' })),
    ];
    await store.records.insert('charges', charges);
    const transactions = [
      ...Array.from({ length: OVER }, (_, nonce) => transaction({ sender: SENDER, nonce, state: 'finalized' })),
      ...Array.from({ length: 300 }, (_, n) => transaction({ sender: SENDER, nonce: OVER + n, askAt: at(n) })),
    ];
    await store.records.insert('transactions', transactions);
    const subscriptions = Array.from({ length: PAYERS * EACH }, (_, n) =>
      actor({ merchantId: `mrc_${n % 20}`, status: 'active', context: { payerWallet: `0xpayer${n % PAYERS}` } }),
    );
    await insertActors(store, subscriptions);
  });

  const clock = () => at(1_000_000);

  /** For the last query (of a collection), which uses an index: documents found and examined, keys, and sorting. */
  async function explained(of?: string): Promise<Explained> {
    const explain = line.lastCommands.findLast((command) => of === undefined || command['find'] === of);
    const answer = await raw.db(DB).command({ explain, verbosity: 'executionStats' });
    // A count is a pipeline.
    const { executionStats, queryPlanner } = answer['stages']?.[0].$cursor ?? answer;
    const { nReturned, totalDocsExamined, totalKeysExamined } = executionStats;
    const plan = JSON.stringify(queryPlanner.winningPlan);
    expect(plan).not.toContain('COLLSCAN');
    const sorts = plan.includes('"SORT"');
    return { found: Number(nReturned), docs: Number(totalDocsExamined), keys: Number(totalKeysExamined), sorts };
  }

  /** The same read, which also explains each of its queries. */
  function explaining<A extends unknown[], R>(plans: Explained[], read: (...args: A) => Promise<R>, of?: string) {
    return async (...args: A): Promise<R> => {
      const found = await read(...args);
      plans.push(await explained(of));
      return found;
    };
  }

  it("find the charges of a mandate's agreement, and examine no others", async () => {
    const mandate = mandateDoc({ chainId: CHAIN, token: TOKEN, router: null });
    await store.records.insert('mandates', [mandate]);
    const plans: Explained[] = [];
    const find = explaining(plans, store.records.find.bind(store.records));
    const records = { get: store.records.get.bind(store.records), find };
    const delegates = new Delegates(NO_ROOT);
    const chain = { chainId: CHAIN, delegates, agreements: new Agreements(), troubles: new Troubles(), log: silentLog };
    // Nobody has signed the mandate, so the chain is not asked.
    const link = { upToDate: async () => [] };
    await keepToMandates({ ...chain, records, clock, link }, [charge({ mandate: { id: mandate._id, cycle: 1 } })]);
    expect(plans).toMatchObject([
      { found: 1, docs: 1, sorts: false },
      { found: 0, docs: 0, sorts: false },
    ]);
  });

  it('take the longest waiting charges, and examine no more', async () => {
    const ctx = { chainId: CHAIN, records: store.records, clock };
    const taken = await readWaiting(ctx, [TOKEN], 50);
    expect(taken.map(({ notBefore }) => notBefore)).toEqual(taken.map((_, n) => at(n)));
    const query = await explained();
    expect(query).toMatchObject({ found: 50, docs: 50, sorts: false });
    expect(query.keys).toBeLessThanOrEqual(55);
  });

  it('find the rest of a signing queue without ended charges', async () => {
    const plans: Explained[] = [];
    const find = explaining(plans, store.records.find.bind(store.records));
    const records = { ...store.records, find, changeMany: store.records.changeMany.bind(store.records) };
    await recoverStarted({ ...context(), records, log: silentLog }, SENDER, async () => {});
    expect(plans.length).toBeGreaterThan(1);
    for (const { docs } of plans) expect(docs).toBeLessThanOrEqual(STARTED * 2);
  });

  it('find the charges in flight of these payers, however many others the senders have', async () => {
    const charges = Array.from({ length: 100 }, (_, n) => charge({ from: `0xpayer${n}` }));
    expect(await chargesInFlight({ chainId: CHAIN, records: store.records }, charges)).toHaveLength(50);
    const query = await explained();
    expect(query).toMatchObject({ found: 50, docs: 50 });
    expect(query.keys).toBeLessThanOrEqual(200);
  });

  it('find the last nonce among transactions on their way', async () => {
    expect(await nextNonce({ chainId: CHAIN, records: store.records }, SENDER, OVER + 290)).toBe(OVER + 300);
    expect(await explained()).toMatchObject({ found: 1, docs: 10 });
    expect(await nextNonce({ chainId: CHAIN, records: store.records }, SENDER, OVER + 500)).toBe(OVER + 500);
  });

  it('ask about due transactions, and examine no others', async () => {
    await takeDue({
      ...context(),
      records: { ...store.records, find: store.records.find.bind(store.records), changeMany: async () => [] },
    });
    const query = await explained();
    expect(query).toMatchObject({ found: 100, sorts: false });
    expect(query.docs).toBeLessThanOrEqual(105);
  });

  it('count waiting charges at a bounded cost', async () => {
    const where = { chainId: CHAIN, state: 'waiting' };
    expect(await store.records.count('charges', where, 501)).toBe(501);
    const query = await explained();
    expect(query).toMatchObject({ docs: 0, sorts: false });
    expect(query.keys).toBeLessThanOrEqual(502);
  });

  it('sum the claims of many subscriptions without a document', async () => {
    const charges = Array.from({ length: PAYERS }, (_, n) =>
      charge({ merchantId: `mrc_${n % 20}`, from: `0xpayer${n}` }),
    );
    await reservesAtMost({ store, catalog: buildCatalog() }, charges);
    expect(await explained()).toMatchObject({ found: PAYERS * EACH, docs: 0 });
  });

  it('sum the recurring revenue of a merchant without a document', async () => {
    const terms = { tokenKey: 'usdc-base', amount: '5000000', interval: { unit: 'month', count: 1 } };
    const ofOne = { merchantId: 'mrc_revenue', context: { payerWallet: '0xrevenue', terms } };
    const statuses = ['active', 'active', 'past_due', 'canceled', 'pending'];
    await insertActors(
      store,
      statuses.map((status) => actor({ ...ofOne, status, attributes: { offerId: null } })),
    );
    const tally = store.actors.tally.bind(store.actors);
    const plans: Explained[] = [];
    const explainedTally = explaining(plans, tally);
    const recurringOnly: typeof tally = async (kind, query) =>
      query.period === null ? await explainedTally(kind, query) : [];
    const spy = spyOn(store.actors, 'tally').mockImplementation(recurringOnly);
    const deps = { store, catalog: buildCatalog(), clock };
    const query = { created: {}, unit: 'day', offerId: null } as const;
    const { recurring } = await revenueOf(deps, { merchantId: 'mrc_revenue', mode: 'test' }, query);
    spy.mockRestore();
    const group = { offerId: null, tokenKey: 'usdc-base' };
    expect(recurring).toEqual([{ ...group, subscriptions: 3, monthlyAmount: '15.00' }]);
    expect(plans).toMatchObject([{ docs: 0, keys: 3 }]);
  });

  it('find the subscriptions of the payers of many merchants, and examine each once', async () => {
    const tenants = Array.from({ length: 20 }, (_, n) => ({ merchantId: `mrc_${n}`, mode: 'test' as const }));
    const wallets = Array.from({ length: 50 }, (_, n) => `0xpayer${n}`);
    const plans: Explained[] = [];
    const findFields = explaining(plans, store.actors.findFields.bind(store.actors), 'subscriptions');
    const found: string[] = [];
    for await (const page of claimants({ actors: { findFields } }, tenants, wallets))
      found.push(...page.map(({ _id }) => _id));
    expect(new Set(found).size).toBe(50 * EACH);
    expect(found).toHaveLength(50 * EACH);
    // Nobody has signed a migration. The last page of the billed wallets is not full.
    expect(plans.map((query) => query.found)).toEqual([0, 500, 500, 500, 50 * EACH - 1_500]);
    // A page also examines some ties with the end of the page before.
    for (const { found: own, docs, sorts } of plans) {
      expect(docs).toBeLessThanOrEqual(own + EACH);
      expect(sorts).toBe(false);
    }
  });

  it("find a payer's canceled subscriptions, and examine no other payer's", async () => {
    const own = { merchantId: 'mrc_0', status: 'canceled' };
    const others = Array.from({ length: 100 }, (_, n) => actor({ ...own, context: { payerWallet: `0xother${n}` } }));
    await insertActors(store, others);
    expect(await canceledClaimants(store, { merchantId: 'mrc_0', mode: 'test' }, '0xpayer0')).toEqual([]);
    const { docs, sorts } = await explained('subscriptions');
    expect(docs).toBeLessThanOrEqual(EACH);
    expect(sorts).toBe(false);
  });

  function context(): Parameters<typeof takeDue>[0] {
    const never = () => {
      throw new Error('nobody asks for this here');
    };
    return {
      chainId: CHAIN,
      records: store.records,
      clock,
      timing: chainTiming(50),
      newId: never,
      fault: async () => undefined,
      log: { debug: never, info: never, warn: never, error: never },
      listener: { start: never, reserves: never, notify: never, walletsChanged: never, allowancesChanged: never },
      leases: { take: never, release: never, workers: 1 },
      troubles: new Troubles(),
      reverts: new Reverts(new Troubles()),
      wakeReconciler: never,
      wakeQueues: never,
    };
  }
});
