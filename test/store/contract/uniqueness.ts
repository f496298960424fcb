import { RECORD_INDEXES } from '../../../src/store/indexes.ts';
import type { InsertVerdict, LedgerStore } from '../../../src/store/port.ts';
import { at, coupon, customer, invoice, offer, transaction, unique, wallet } from '../support/documents.ts';

/** Makes a document of one index from the parts of its key; a null part is missing in the document. */
interface Case {
  readonly insert: (store: LedgerStore, merchantId: string, key: string | null) => Promise<InsertVerdict | undefined>;
  /** Whether the index leaves out documents without the key. */
  readonly isPartial: boolean;
}

const CASES: Readonly<Record<string, Case>> = {
  'offers.identifier': {
    isPartial: true,
    insert: async (store, merchantId, identifier) =>
      (await store.records.insert('offers', [offer({ merchantId, identifier })]))[0],
  },
  'offers.idempotencyKey': {
    isPartial: true,
    insert: async (store, merchantId, key) =>
      (await store.records.insert('offers', [offer({ merchantId, idempotencyKey: key })]))[0],
  },
  'coupons.code': {
    isPartial: true,
    insert: async (store, merchantId, code) =>
      (await store.records.insert('coupons', [coupon({ merchantId, code })]))[0],
  },
  'customers.walletKeys': {
    isPartial: true,
    insert: async (store, merchantId, key) => {
      const walletKeys = key === null ? [] : [unique('solana:'), key];
      return (await store.records.insert('customers', [customer({ merchantId, walletKeys })]))[0];
    },
  },
  'customers.idempotencyKey': {
    isPartial: true,
    insert: async (store, merchantId, key) =>
      (await store.records.insert('customers', [customer({ merchantId, idempotencyKey: key })]))[0],
  },
  'wallets.tokenKey': {
    isPartial: true,
    insert: async (store, merchantId, key) =>
      (await store.records.insert('wallets', [wallet({ merchantId, tokenKey: key ?? unique('token') })]))[0],
  },
  'staffTokens.inForce': {
    isPartial: true,
    insert: async (store, merchantId, key) => {
      const inForce = key === null ? null : `${merchantId}${key}`;
      const token = { name: 'Ada', inForce, role: 'read', hint: 'abcd', createdAt: at(0), revokedAt: null } as const;
      return (await store.records.insert('staffTokens', [{ _id: unique('token'), ...token }]))[0];
    },
  },
  'usage.key': {
    isPartial: false,
    insert: async (store, subscriptionId, key) => {
      const records = [unique('key'), String(key)].map((each) => ({ key: each, quantity: 1, at: '' }));
      const row = { subscriptionId, sequence: 1, records, total: 2, createdAt: at(0) };
      return (await store.records.insert('usage', [{ _id: unique(subscriptionId), ...row }]))[0];
    },
  },
  'invoices.subject': {
    isPartial: false,
    insert: async (store, merchantId, key) => {
      const doc = invoice({ _id: unique('invoice'), merchantId, subject: String(key) });
      return (await store.records.insert('invoices', [doc]))[0];
    },
  },
  'transactions.nonce': {
    isPartial: false,
    insert: async (store, merchantId, key) =>
      (await store.records.insert('transactions', [transaction({ sender: `${merchantId}${key}`, nonce: 4 })]))[0],
  },
};

/** Every declared unique index: the first document keeps the key, and the second is refused by the index's name. */
export function uniquenessContract(open: () => LedgerStore): void {
  it('has a case for every declared unique index', () => {
    const declared = Object.entries(RECORD_INDEXES).flatMap(([name, indexes]) =>
      indexes.filter((index) => index.unique === true).map((index) => `${name}.${index.name}`),
    );
    expect(Object.keys(CASES).sort()).toEqual(declared.sort());
  });

  describe.each(Object.entries(CASES))('the unique index %s', (name, { insert, isPartial }) => {
    const index = name.split('.')[1] ?? '';

    it('refuses a second document with the key, and names the index', async () => {
      const [merchantId, key] = [unique('mrc'), unique('key')];
      expect(await insert(open(), merchantId, key)).toEqual({ inserted: true });
      expect(await insert(open(), merchantId, key)).toEqual({ inserted: false, index });
      expect(await insert(open(), merchantId, unique('key'))).toEqual({ inserted: true });
      expect(await insert(open(), unique('mrc'), key)).toEqual({ inserted: true });
    });

    it('lets exactly one of many have it', async () => {
      const [merchantId, key] = [unique('mrc'), unique('key')];
      const verdicts = await Promise.all(Array.from({ length: 20 }, () => insert(open(), merchantId, key)));
      expect(verdicts.filter((verdict) => verdict?.inserted === true)).toHaveLength(1);
    });

    it(isPartial ? 'lets any number be without it' : 'counts having none as a key like any other', async () => {
      const merchantId = unique('mrc');
      const verdicts = [await insert(open(), merchantId, null), await insert(open(), merchantId, null)];
      const second = isPartial ? { inserted: true } : { inserted: false, index };
      expect(verdicts).toEqual([{ inserted: true }, second]);
    });
  });

  it('answers for each document of a batch, and stores the others', async () => {
    const merchantId = unique('mrc');
    const taken = offer({ merchantId, identifier: 'a' });
    await open().records.insert('offers', [taken]);
    const batch = [
      offer({ merchantId, identifier: 'b' }),
      offer({ merchantId, identifier: 'a' }),
      taken,
      offer({ merchantId, identifier: 'b' }),
      offer({ merchantId }),
    ];
    expect(await open().records.insert('offers', batch)).toEqual([
      { inserted: true },
      { inserted: false, index: 'identifier' },
      { inserted: false, index: '_id' },
      { inserted: false, index: 'identifier' },
      { inserted: true },
    ]);
    expect(await open().records.count('offers', { merchantId })).toBe(3);
    expect(await open().records.insert('offers', [])).toEqual([]);
  });

  it('frees the key of a removed document', async () => {
    const merchantId = unique('mrc');
    const doc = customer({ merchantId, walletKeys: ['evm:0x1'] });
    await open().records.insert('customers', [doc]);
    await open().records.remove('customers', [doc._id]);
    const next = customer({ merchantId, walletKeys: ['evm:0x1'] });
    expect(await open().records.insert('customers', [next])).toEqual([{ inserted: true }]);
  });

  it('distinguishes two wallets of one document from its own keys', async () => {
    const doc = customer({ walletKeys: ['evm:0x1', 'solana:a'] });
    await open().records.insert('customers', [doc]);
    const change = { set: { walletKeys: ['solana:a', 'evm:0x2'] } };
    expect(await open().records.change('customers', doc._id, {}, change)).toMatchObject(change.set);
    const old = customer({ merchantId: doc.merchantId, walletKeys: ['evm:0x1'] });
    expect(await open().records.insert('customers', [old])).toEqual([{ inserted: true }]);
  });
}
