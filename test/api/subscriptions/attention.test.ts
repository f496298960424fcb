import { idsOf } from '../../support/http.ts';
import { MerchantOverHttp } from '../../support/merchant-over-http.ts';

const merchant = await MerchantOverHttp.open();

async function found(query: string): Promise<readonly string[]> {
  return idsOf(await merchant.get(`/subscriptions?${query}`), 'subscriptions');
}

/** A second after the one before. */
function paid(): Promise<string> {
  merchant.later(1_000);
  return merchant.subscribeAndPay();
}

describe('GET /subscriptions?attention=…', () => {
  it('finds the live subscriptions that may bring no next payment, by why, newest first', async () => {
    const sound = await paid();
    const ending = await paid();
    await merchant.post(`/subscriptions/${ending}/cancel`, { atPeriodEnd: true });
    const poor = await paid();
    await merchant.failCharge(poor, 'insufficient_balance');
    const unapproved = await paid();
    await merchant.failCharge(unapproved, 'insufficient_allowance');
    await merchant.send(unapproved, { type: 'allowance.seen', covers: false, payable: true });
    const poorToo = await paid();
    await merchant.failCharge(poorToo, 'insufficient_balance');
    const over = await paid();
    await merchant.failCharge(over, 'insufficient_balance');
    await merchant.post(`/subscriptions/${over}/cancel`, {});

    expect(await found('attention=will_not_renew')).toEqual([ending]);
    expect(await found('attention=balance_missing')).toEqual([poorToo, poor]);
    expect(await found('attention=balance_missing&limit=1&start=1')).toEqual([poor]);
    expect(await found(`attention=balance_missing&limit=1&startingAfter=${poorToo}`)).toEqual([poor]);
    expect(await found('attention=approval_missing')).toEqual([unapproved]);
    expect(await found('attention=approval_missing&status=active')).toEqual([]);
    expect(await found('')).toEqual([over, poorToo, unapproved, poor, ending, sound]);
    const { body } = await merchant.get('/subscriptions?attention=balance_missing&limit=1&totals=true');
    expect(body).toMatchObject({ hasMore: true, totals: { count: 2, hasMore: false } });
  });

  it('adds up what the payments of a filter have brought, and what failed', async () => {
    const id = await paid();
    await merchant.settleCharge(id);
    await merchant.failCharge(id, 'insufficient_balance');
    const { body } = await merchant.get(`/payments?subscriptionId=${id}&totals=true&limit=1`);
    const group = { tokenKey: 'usdc-local-evm' };
    expect(body).toMatchObject({
      totals: {
        count: 3,
        hasMore: false,
        sums: [
          { ...group, status: 'settled', count: 2, amount: expect.stringMatching(/^\d+\.\d\d$/) },
          { ...group, status: 'failed', count: 1 },
        ],
      },
    });
  });
});
