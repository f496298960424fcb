import { requestRefunds } from '../../src/billing/deposits/settle.ts';
import type { Ledger } from '../../src/store/port.ts';
import { type InProcessService, openInProcess } from '../../stage/in-process-service.ts';
import { scriptedChain } from '../../stage/scripted-chain.ts';
import { arrival, deposit, watch } from '../store/support/documents.ts';
import { BOB } from '../support/bodies.ts';
import { type HttpHarness, startHttp } from '../support/http.ts';
import { mandateDoc } from '../support/mandate-doc.ts';

/** A process that only serves requests, and a worker on the same store. */
let http: HttpHarness;
let worker: InProcessService;
let merchantId: string;
let key: string;

beforeEach(async () => {
  const chains = [scriptedChain()];
  http = await startHttp({ ledger: null, chains });
  const { platformWallets } = http.deps;
  worker = openInProcess({ store: http.store, clock: () => http.now, chains, platformWallets });
  const made = await http.merchant();
  merchantId = made.merchant._id;
  key = made.testKey;
});

/** The documents of the ledger. */
async function ledger(): Promise<number[]> {
  const { records } = http.store;
  return Promise.all((['charges', 'transactions', 'announcements'] as const).map((of) => records.count(of, {})));
}

describe('a process that only serves requests', () => {
  it('leaves the announcement of a payout wallet to a worker', async () => {
    const tenant = { merchantId, mode: 'test' } as const;
    const { chainId, router } = scriptedChain();
    const createdAt = new Date(http.now.getTime() + 1);
    await http.store.records.insert('mandates', [mandateDoc({ ...tenant, chainId, router, createdAt })]);
    http.now = new Date(http.now.getTime() + 1_000);
    await http.call('POST', '/wallets', { key, body: { tokenKey: 'usdc-local-evm', receiverWallet: BOB } });
    await http.billing.quiet();
    expect(await ledger()).toEqual([0, 0, 0]);
    http.now = new Date(http.now.getTime() + 60_000);
    await worker.relay('wallets');
    expect(await ledger()).toEqual([0, 0, 1]);
  });

  it('makes a check by a worker due instead of requesting a refund', async () => {
    const { store, deps } = http;
    const refund = {
      key: `0x${'a'.repeat(64)}`,
      round: 1,
      attempt: 1,
      txHash: null,
      to: BOB,
      amount: '5',
      notBefore: http.now,
    };
    const doc = deposit({ arrivals: [arrival({ fate: 'refunding', held: null, refund })] });
    await store.records.insert('watches', [watch({ _id: doc._id, lookAt: new Date(http.now.getTime() + 3_600_000) })]);
    await requestRefunds(deps, doc);
    expect(await ledger()).toEqual([0, 0, 0]);
    expect(await store.records.get('watches', [doc._id])).toMatchObject([{ lookAt: http.now }]);
    await requestRefunds(worker.deps, doc);
    expect(await ledger()).toEqual([1, 0, 0]);
  });

  it('has a store that cannot write the ledger, as the compiler knows', async () => {
    const { records } = http.deps.store;
    // @ts-expect-error charges are the ledger's
    const inserted = await records.insert('charges', []);
    // @ts-expect-error the store of most code is no ledger
    const wrong: Ledger = records;
    expect([inserted, wrong, http.deps.ledger]).toEqual([[], records, null]);
  });
});
