import { inspectionSchema } from '../../src/staff/wire.ts';
import { arrival } from '../store/support/documents.ts';
import { ALICE, BOB } from '../support/bodies.ts';
import { idOf } from '../support/http.ts';
import { MerchantOverHttp } from '../support/merchant-over-http.ts';
import { adaAt } from './support/staff.ts';

const merchant = await MerchantOverHttp.open();
const ada = adaAt(merchant.http);
const body = { toWallet: BOB, amount: '10.00', tokenKey: 'usdc-local-evm', idempotencyKey: 'order-9' };
const id = idOf(await merchant.post('/payments', { ...body, paymentMethod: 'wallet_transfer' }));
await merchant.billing.quiet();

async function inspected() {
  return inspectionSchema.parse((await ada.get(`/payments/${id}`)).body);
}

/** Too much arrives, from a sender who cannot get anything back. */
async function holdSomething(): Promise<string> {
  const [book] = await merchant.http.store.records.get('deposits', [id]);
  if (!book) throw new Error('it waits for no deposit');
  const arrived = arrival({ token: book.token, from: ALICE });
  const set = { arrivals: [arrived], heldAt: merchant.http.now };
  await merchant.http.store.records.change('deposits', id, {}, { set });
  return arrived.id;
}

describe('a payment that waits for a deposit', () => {
  it('shows its address, its deadline, and that nothing has arrived', async () => {
    const { path, waits, answers, deposits } = await inspected();
    expect(path[0]?.id).toBe('pending.awaiting');
    expect(waits).toMatchObject({ what: 'a transfer to its deposit address', until: expect.any(String) });
    expect(answers.find(({ name }) => name === 'what-arrived')?.answer).toMatch(
      /^No confirmed transfer has arrived at 0x/,
    );
    expect(deposits).toEqual([]);
  });

  it('shows held money, is listed as a trouble, and is found by it', async () => {
    const depositId = await holdSomething();
    const { answers, deposits } = await inspected();
    expect(deposits).toMatchObject([{ id: depositId, left: '2.00', fate: 'held', held: 'no_refund_wallet' }]);
    expect(answers.find(({ name }) => name === 'what-arrived')?.answer).toContain('2.00 left (held)');
    const trouble = await ada.get('/trouble');
    expect(JSON.stringify(trouble.body)).toContain(`"id":"${id}","title":"2.00 usdc-local-evm"`);
    const [book] = await merchant.http.store.records.get('deposits', [id]);
    for (const q of [depositId, 'order-9', `0x${'d'.repeat(64)}`, book?.address]) {
      expect((await ada.get(`/search?q=${q}`)).body).toMatchObject({ results: [{ kind: 'payment', id }] });
    }
  });
});
