import { actor, insertActors } from '../../store/support/documents.ts';
import { offerBody } from '../../support/bodies.ts';
import { expectError, idOf, idsOf, type Reply, useHttp, useMerchant } from '../../support/http.ts';

const http = useHttp();
const merchant = useMerchant(http);
let id: string;
beforeEach(async () => {
  const body = offerBody({ identifier: 'pro', idempotencyKey: 'k' });
  id = idOf(await merchant.post('/offers', body));
});

function remove(): Promise<Reply> {
  return merchant.delete(`/offers/${id}`);
}

/** A subscription to the offer, as far as its deletion checks. */
async function subscribe(status: string): Promise<void> {
  const doc = actor({ _id: `sub_${status}_${id}`, merchantId: merchant.id, attributes: { offerId: id }, status });
  await insertActors(http.store, [doc]);
}

describe('DELETE /offers/{offerId} 200', () => {
  it('deletes for good and frees the identifier', async () => {
    const { status, body } = await remove();
    expect([status, body]).toEqual([200, { id, deleted: true }]);
    expect((await merchant.get(`/offers/${id}`)).status).toBe(404);
    expect(idsOf(await merchant.get('/offers'), 'offers')).toEqual([]);
    expect((await http.send('GET', `/checkout/${id}`)).status).toBe(404);
    const again = await merchant.post('/offers', offerBody({ identifier: 'pro' }));
    expect(again.status).toBe(201);
  });

  it('keeps the key used: a replay shows the offer as last stored', async () => {
    await remove();
    const replay = await merchant.post('/offers', offerBody({ identifier: 'pro', idempotencyKey: 'k' }));
    expect([replay.status, idOf(replay)]).toEqual([200, id]);
    expect(replay.body).toMatchObject({ identifier: null });
  });

  it('ignores ended subscriptions', async () => {
    await subscribe('canceled');
    expect((await remove()).status).toBe(200);
  });
});

describe('DELETE /offers/{offerId} 404', () => {
  it('answers a second deletion, and every other call with the id', async () => {
    await remove();
    expect((await remove()).body).toEqual({ error: 'Not found' });
    const calls = [
      merchant.patch(`/offers/${id}`, { active: true }),
      merchant.post(`/offers/${id}/pricing`, pricing),
      merchant.delete(`/offers/${id}/pricing/price_x`),
    ];
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([404, 404, 404]);
  });
});

const pricing = { amount: '5', acceptedTokens: ['usdc-base'], billing: { type: 'one_time' } };

describe('DELETE /offers/{offerId} 409', () => {
  it.each(['pending', 'active', 'past_due'])('refuses while a subscription is %s', async (status) => {
    await subscribe(status);
    expectError(await remove(), 409, 'Offer has live subscriptions; deactivate it instead');
    expect((await merchant.get(`/offers/${id}`)).status).toBe(200);
  });
});
