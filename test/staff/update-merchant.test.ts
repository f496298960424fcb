import { type HttpHarness, startHttp } from '../support/http.ts';
import { journalOf, NOBODY, REASON, staff } from './support/staff.ts';

let http: HttpHarness;
beforeAll(async () => {
  http = await startHttp();
});

async function update(body: object, on = http) {
  const { merchant, testKey } = await on.merchant();
  const reply = await staff(on, 'PATCH', `/merchants/${merchant._id}`, { reason: REASON, ...body });
  return { id: merchant._id, testKey, ...reply };
}

/** An installation without a platform wallet for its chain. */
function withoutPlatformWallet(): Promise<HttpHarness> {
  return startHttp({ platformWallets: { evm: null, solana: null } });
}

describe('PATCH /staff/api/merchants/{merchantId} 200', () => {
  it('sets the limits for the next calls', async () => {
    const { id, testKey, status, body } = await update({ limitFactor: 2 });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id, limitFactor: 2, feeBps: 100 });
    const calls = Array.from({ length: 125 }, () => http.call('GET', '/wallets', { key: testKey }));
    const statuses = (await Promise.all(calls)).map((reply) => reply.status);
    expect(statuses.filter((each) => each === 200)).toHaveLength(120);
    expect(await journalOf(http, id)).toMatchObject([
      { action: 'merchant.changed', details: { limitFactor: { from: 1, to: 2 } } },
    ]);
  });

  it.each([0, 1, 10_000])('sets the fee to %i basis points if it can be paid out', async (feeBps) => {
    const { id, status, body } = await update({ feeBps });
    expect([status, body]).toEqual([200, expect.objectContaining({ feeBps, limitFactor: 1 })]);
    expect(await journalOf(http, id)).toMatchObject([{ details: { feeBps: { from: 100, to: feeBps } } }]);
  });

  it('removes the fee, and sets limits, even without a platform wallet', async () => {
    const own = await withoutPlatformWallet();
    expect((await update({ feeBps: 0 }, own)).status).toBe(200);
    expect((await update({ limitFactor: 10_000 }, own)).status).toBe(200);
  });
});

describe('PATCH /staff/api/merchants/{merchantId} 400', () => {
  it.each([
    [{ limitFactor: 0 }, 'limitFactor must be an integer between 1 and 10000'],
    [{ limitFactor: 10_001 }, 'limitFactor must be an integer between 1 and 10000'],
    [{ limitFactor: 1.5 }, 'limitFactor must be an integer between 1 and 10000'],
    [{ feeBps: -1 }, 'feeBps must be an integer between 0 and 10000'],
    [{ feeBps: 10_001 }, 'feeBps must be an integer between 0 and 10000'],
    [{ feeBps: 5, reason: '' }, 'reason must be 1 to 500 characters long'],
    [{}, 'body must have a field to update: limitFactor or feeBps'],
    [{ limitFactor: 2, name: 'Other' }, 'name cannot be updated'],
    [{ limitFactor: 2, status: 'suspended' }, 'status cannot be updated'],
  ])('refuses %j, and changes nothing', async (body, error) => {
    const reply = await update(body);
    expect([reply.status, reply.body]).toEqual([400, { error }]);
    expect(await journalOf(http, reply.id)).toEqual([]);
  });

  it('refuses a fee without a wallet for it', async () => {
    const { status, body } = await update({ feeBps: 1 }, await withoutPlatformWallet());
    expect(status).toBe(400);
    expect(body).toEqual({
      error:
        'feeBps must be 0: chain 31337 is enabled and PLATFORM_WALLET_EVM is not set, so that a fee has nowhere to go',
    });
  });
});

describe('PATCH /staff/api/merchants/{merchantId} 404', () => {
  it('answers for an unknown merchant, whatever the request', async () => {
    const { status } = await staff(http, 'PATCH', `/merchants/${NOBODY}`, { feeBps: 1, reason: REASON });
    expect(status).toBe(404);
  });
});
