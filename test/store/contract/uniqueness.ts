import type { Collections } from '../../../src/store/collections.ts';
import { RECORD_INDEXES } from '../../../src/store/indexes.ts';
import type { CollectionName, InsertVerdict, LedgerStore } from '../../../src/store/port.ts';
import { at, coupon, customer, invoice, offer, transaction, unique, wallet } from '../support/documents.ts';

/** Inserts a document of one index, made from the parts of its key; a null part is missing in the document. */
type Insert = (store: LedgerStore, merchantId: string, key: string | null) => Promise<InsertVerdict | undefined>;

const into =
  <C extends CollectionName>(of: C, docOf: (merchantId: string, key: string | null) => Collections[C]): Insert =>
  async (store, merchantId, key) =>
    (await store.records.insert(of, [docOf(merchantId, key)]))[0];

/** By index; partial ones leave out documents without the key. */
const PARTIAL: Readonly<Record<string, Insert>> = {
  'offers.identifier': into('offers', (merchantId, identifier) => offer({ merchantId, identifier })),
  'offers.idempotencyKey': into('offers', (merchantId, idempotencyKey) => offer({ merchantId, idempotencyKey })),
  'coupons.code': into('coupons', (merchantId, code) => coupon({ merchantId, code })),
  'coupons.idempotencyKey': into('coupons', (merchantId, idempotencyKey) => coupon({ merchantId, idempotencyKey })),
  'customers.walletKeys': into('customers', (merchantId, key) =>
    customer({ merchantId, walletKeys: key === null ? [] : [unique('solana:'), key] }),
  ),
  'customers.idempotencyKey': into('customers', (merchantId, idempotencyKey) =>
    customer({ merchantId, idempotencyKey }),
  ),
  'wallets.tokenKey': into('wallets', (merchantId, key) => wallet({ merchantId, tokenKey: key ?? unique('token') })),
  'staffTokens.inForce': into('staffTokens', (merchantId, key) => {
    const inForce = key === null ? null : `${merchantId}${key}`;
    return {
      _id: unique('token'),
      name: 'Ada',
      inForce,
      role: 'read',
      hint: 'abcd',
      createdAt: at(0),
      revokedAt: null,
    };
  }),
};

const WHOLE: Readonly<Record<string, Insert>> = {
  'usage.key': into('usage', (subscriptionId, key) => {
    const records = [unique('key'), String(key)].map((each) => ({ key: each, quantity: 1, at: '' }));
    return { _id: unique(subscriptionId), subscriptionId, sequence: 1, records, total: 2, createdAt: at(0) };
  }),
  'invoices.subject': into('invoices', (merchantId, key) =>
    invoice({ _id: unique('invoice'), merchantId, subject: String(key) }),
  ),
  'transactions.nonce': into('transactions', (merchantId, key) =>
    transaction({ sender: `${merchantId}${key}`, nonce: 4 }),
  ),
};

const CASES = Object.entries({ ...PARTIAL, ...WHOLE });

/** Every declared unique index: the first document keeps the key, and the second is refused by the index's name. */
export function uniquenessContract(open: () => LedgerStore): void {
  it('has a case for every declared unique index', () => {
    const declared = Object.entries(RECORD_INDEXES).flatMap(([name, indexes]) =>
      indexes.filter((index) => index.unique === true).map((index) => `${name}.${index.name}`),
    );
    expect(CASES.map(([name]) => name).sort()).toEqual(declared.sort());
  });

  describe.each(CASES)('the unique index %s', (name, insert) => {
    const isPartial = name in PARTIAL;
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
