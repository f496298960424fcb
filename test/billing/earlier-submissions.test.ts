import { endEarlierSubmissions } from '../../src/billing/payments/effects/earlier-submissions.ts';
import type { ChargeDoc, TransactionDoc } from '../../src/store/collections.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { LedgerStore } from '../../src/store/port.ts';
import { charge, transaction } from '../store/support/documents.ts';
import { ALICE, BOB, CAROL } from '../support/bodies.ts';

const NOW = new Date('2027-03-01T00:00:00.000Z');
const CHAIN = 31337;

let store: LedgerStore;
beforeEach(() => {
  store = openMemoryStore({ now: () => NOW });
});
afterEach(() => store.close());

/** A charge of one payment. The first attempt draws on the open operator, the second one on a mandate. */
function chargeOf(attempt: number, change: Partial<ChargeDoc> = {}): ChargeDoc {
  const key = `0x${String(attempt).repeat(64)}`;
  const shares = [{ role: 'forward', to: BOB, amount: '10' }] as const;
  const payment = { paymentId: 'pay_1', merchantId: 'mrc_a', chainId: CHAIN, token: CAROL, from: ALICE };
  return charge({ _id: `${key}:${attempt}`, key, attempt, ...payment, gross: '10', shares, notBefore: NOW, ...change });
}

function transactionOf(_id: string, change: Partial<TransactionDoc>): TransactionDoc {
  const of = { chainId: CHAIN, sender: CAROL, nonce: 5, chargeIds: [chargeOf(1)._id] };
  return transaction({ _id, ...of, state: 'final', reverted: true, ...change });
}

async function ofSecond(second = chargeOf(2)): Promise<unknown> {
  const results = await endEarlierSubmissions({ ledger: store.records, clock: () => NOW }, new Map([['item', second]]));
  return results.get('item');
}

const HELD = { held: expect.stringContaining('txn_1, which is not finalized') };

describe('an attempt under another consent', () => {
  it.each(['signed', 'mined', 'final'] as const)(
    'waits while an earlier attempt is in a transaction that is %s, although it was refused',
    async (state) => {
      await store.records.insert('charges', [chargeOf(1, { state: 'refused', reason: 'insufficient_allowance' })]);
      await store.records.insert('transactions', [transactionOf('txn_1', { state })]);
      expect(await ofSecond()).toEqual(HELD);
    },
  );

  it('begins when that transaction is finalized', async () => {
    await store.records.insert('charges', [chargeOf(1, { state: 'refused', reason: 'insufficient_allowance' })]);
    await store.records.insert('transactions', [transactionOf('txn_1', { state: 'finalized' })]);
    expect(await ofSecond()).toBeUndefined();
  });

  it('waits for a finalized block that has the nonce of an expired transaction, or a later one', async () => {
    await store.records.insert('charges', [chargeOf(1, { state: 'refused', reason: 'insufficient_allowance' })]);
    await store.records.insert('transactions', [
      transactionOf('txn_1', { state: 'expired' }),
      transactionOf('txn_0', { state: 'finalized', nonce: 4, chargeIds: [] }),
    ]);
    expect(await ofSecond()).toEqual(HELD);
    await store.records.insert('transactions', [
      transactionOf('txn_2', { state: 'finalized', nonce: 6, chargeIds: [] }),
    ]);
    expect(await ofSecond()).toBeUndefined();
  });

  it('withdraws an earlier attempt that waits, and begins', async () => {
    await store.records.insert('charges', [chargeOf(1)]);
    expect(await ofSecond()).toBeUndefined();
    expect(await store.records.get('charges', [chargeOf(1)._id])).toMatchObject([{ state: 'withdrawn', lane: null }]);
  });

  it('is not made if the earlier attempt has moved the money', async () => {
    await store.records.insert('charges', [chargeOf(1, { state: 'final' })]);
    expect(await ofSecond()).toBe('done');
  });

  it('waits too if only the router is another one', async () => {
    const { key } = chargeOf(1);
    await store.records.insert('charges', [chargeOf(1, { state: 'refused', router: BOB })]);
    await store.records.insert('transactions', [transactionOf('txn_1', {})]);
    expect(await ofSecond(chargeOf(2, { key, router: CAROL }))).toEqual(HELD);
    expect(await ofSecond(chargeOf(2, { key, router: BOB }))).toBeUndefined();
  });
});
