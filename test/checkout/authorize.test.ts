import { z } from 'zod';
import { subscriptionContext } from '../../machines/subscription/context.ts';
import { chargeDueAt, dueAt } from '../../machines/subscription/next-charge.ts';
import { newId } from '../../src/store/ids.ts';
import { NOTHING, PLENTY } from '../../stage/scripted-chain.ts';
import { insertActors } from '../store/support/documents.ts';
import { monthly } from '../support/bodies.ts';
import { expectError } from '../support/http.ts';
import { CheckoutOverHttp, linkTokenIn, type OnSale, type Payer } from './support/checkout.ts';

const checkout = await CheckoutOverHttp.start();

beforeEach(() => {
  checkout.chain.state = NOTHING;
  checkout.later(60_000);
});

/** A subscription of the merchant, with its link for the user. */
async function linked(change: object = {}, customer: object = {}) {
  return checkout.linked(await checkout.offer({ name: 'Club', pricing: [monthly(change)] }), customer);
}

const signature = (token: string, payer: Payer) => checkout.signedLink(token, payer);
const authorize = (token: string, payer: Payer) => checkout.authorize(token, payer);

/** A link by which the merchant confirms that another wallet may pay. */
async function newPayerLink({ merchant, id }: Pick<OnSale, 'merchant'> & { readonly id: string }): Promise<string> {
  return linkTokenIn(await merchant.post(`/subscriptions/${id}/change-payer`, {}));
}

async function contextOf(id: string) {
  const [doc] = await checkout.http.store.actors.load('subscription', [id]);
  return doc?.context ?? {};
}

/** The oldest first. */
async function mandatesOf({ merchant }: Pick<OnSale, 'merchant'>) {
  const where = { merchantId: merchant.id };
  return checkout.http.store.records.find('mandates', { where, sort: [['issuedAt', 1]], limit: 10 });
}

describe('a link whose mandate allows no charge any more', () => {
  const linkReply = z.looseObject({
    isSigned: z.boolean(),
    isAuthorized: z.boolean(),
    outcome: z.looseObject({ progress: z.string(), waitsFor: z.string().nullable() }),
  });

  it.each([
    ['the payer has revoked the agreement', 'revokedAt', 2, 'signature'],
    ['all charges are used up', 'usedUpAt', 1, 'allowance'],
  ])('asks for a signature again if %s', async (_why, field, agreements, waitsFor) => {
    const { token, id, ...sale } = await linked({ trialDays: 7 });
    checkout.chain.state = PLENTY;
    const payer = checkout.newPayer();
    const first = await authorize(token, payer);
    expect(await contextOf(id)).toMatchObject({ allowanceConfirmed: true });
    const [mandate] = await mandatesOf(sale);
    await checkout.http.store.records.change('mandates', mandate?._id ?? '', {}, { set: { [field]: new Date() } });
    await checkout.billing.watcher.check([id]);
    await checkout.billing.quiet();
    expect(await contextOf(id)).toMatchObject({ allowanceConfirmed: false });
    const { outcome, ...shown } = linkReply.parse((await checkout.get(`/authorizations/${token}`)).body);
    expect([shown.isSigned, shown.isAuthorized, outcome.waitsFor]).toEqual([false, false, waitsFor]);
    const contract = { agreement: mandate?.agreement };
    expect(first.body).toMatchObject({ mandate: { payer: payer.address, perCharge: '9.90', contract } });
    expect(shown).toMatchObject({ mandate: null });

    expect((await authorize(token, payer)).body).toMatchObject({ isSigned: true, isAuthorized: true });
    expect(await contextOf(id)).toMatchObject({ payerWallet: payer.address, allowanceConfirmed: true });
    const signed = await mandatesOf(sale);
    expect([signed.length, new Set(signed.map(({ agreement }) => agreement)).size]).toEqual([2, agreements]);
  });
});

describe('a text of a link that another signature has overtaken', () => {
  const OVERTAKEN = { status: 400, body: { error: expect.stringContaining('message was overtaken') } };
  const post = (token: string, body: object) => checkout.post(`/authorizations/${token}`, body);

  it('is refused, and changes nothing', async () => {
    const { token, id } = await linked();
    checkout.chain.state = PLENTY;
    const payer = checkout.newPayer();
    await authorize(token, payer);
    const older = await signature(token, payer);
    checkout.later(60_000);
    const later = await signature(token, payer);
    expect((await post(token, later)).status).toBe(200);
    const { consent } = await contextOf(id);
    expect(await post(token, older)).toMatchObject(OVERTAKEN);
    expect(await contextOf(id)).toMatchObject({ consent });
    expect((await post(token, later)).status).toBe(200);
  });

  it('is refused if both are sent at once, also as the first of a subscription: only one is taken', async () => {
    const { token, id } = await linked();
    const payer = checkout.newPayer();
    const texts = [await signature(token, payer), await signature(token, payer)];
    const replies = await Promise.all(texts.map((text) => post(token, text)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400]);
    const { consent } = await contextOf(id);
    const refused = texts[replies.findIndex(({ status }) => status === 400)] ?? {};
    expect(await post(token, refused)).toMatchObject(OVERTAKEN);
    expect(await contextOf(id)).toMatchObject({ consent });
  });

  it('is refused if another wallet has signed since', async () => {
    const { token, id } = await linked();
    const older = await signature(token, checkout.newPayer());
    const other = checkout.newPayer();
    await authorize(token, other);
    expect(await post(token, older)).toMatchObject(OVERTAKEN);
    expect(await contextOf(id)).toMatchObject({ payerWallet: other.address });
  });

  it('is refused for new terms too, whether the later one is for these or for the present ones', async () => {
    const made = await linked();
    const payer = checkout.newPayer();
    await authorize(made.token, payer);
    const { token } = await migrationTo(made, monthly({ amount: '20' }));
    const older = await signature(token, payer);
    await authorize(token, payer);
    const second = await signature(token, payer);
    await authorize(made.token, payer);
    const { consent, migration } = await contextOf(made.id);
    expect([await post(token, older), await post(token, second)]).toMatchObject([OVERTAKEN, OVERTAKEN]);
    expect(await contextOf(made.id)).toMatchObject({ consent, migration });
    expect((await authorize(token, payer)).status).toBe(200);
  });
});

describe('a link to a subscription', () => {
  it('shows the terms before any wallet is known', async () => {
    const { token, id, merchant } = await linked({ trialDays: 7 });
    const branding = await checkout.brand(merchant);
    const { status, body } = await checkout.get(`/authorizations/${token}`);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        kind: 'subscription',
        merchantName: 'Acme',
        branding,
        offerName: 'Club',
        isSandbox: true,
        signedBy: null,
        isAuthorized: false,
        chain: null,
        terms: {
          amount: '9.90',
          currency: 'USD',
          interval: 'month',
          intervalCount: 1,
          maxCycles: null,
          units: null,
          metered: null,
          trialDays: 7,
          tokenKey: 'usdc-local-evm',
          chainId: 31_337,
        },
        asked: expect.objectContaining({ total: '118.80', lines: [expect.objectContaining({ offerName: 'Club' })] }),
        outcome: expect.objectContaining({ progress: 'waiting', subscription: expect.objectContaining({ id }) }),
      }),
    ]);
  });

  it('asks for the charges after a scheduled cancel too, because a resume brings them back', async () => {
    const { token, id, merchant } = await linked({ trialDays: 7, maxCycles: 3 });
    checkout.chain.state = PLENTY;
    const payer = checkout.newPayer();
    await authorize(token, payer);
    expect((await merchant.post(`/subscriptions/${id}/cancel`, { atPeriodEnd: true })).status).toBe(200);
    await authorize(token, payer);
    expect((await merchant.post(`/subscriptions/${id}/resume`)).status).toBe(200);
    expect((await mandatesOf({ merchant })).map(({ charges }) => charges)).toEqual([3, 3]);
  });

  it('links the signing wallet to the subscription and its customer, and checks once', async () => {
    const { token, id, merchant, customerId } = await linked();
    checkout.chain.state = PLENTY;
    const payer = checkout.newPayer();
    const { status, body } = await authorize(token, payer);
    expect([status, body]).toMatchObject([
      200,
      { signedBy: payer.address, isAuthorized: true, chain: { missingAllowance: '0.00' } },
    ]);
    expect(await contextOf(id)).toMatchObject({ payerWallet: payer.address, allowanceConfirmed: true });
    expect(await merchant.get(`/customers/${customerId}`)).toMatchObject({
      body: { wallets: [{ chainFamily: 'evm', address: payer.address }] },
    });
  });

  it('names the terms in its text, without the token', async () => {
    const { token } = await linked();
    const { message } = await signature(token, checkout.newPayer());
    expect(message).toContain(
      'I let Acme charge this account 9.90 USD, as 9.90 USDC on Local EVM, every month for Club,',
    );
    expect(message).toContain('URI: https://pay.example.com/checkout/authorize\n');
    expect(message).not.toContain(token);
  });

  it('names the rest of the trial by the clock of the subscription, and no trial that is over', async () => {
    const { token, id, merchant } = await linked({ trialDays: 7 });
    const advance = (days: number) => merchant.post('/sandbox/advance', { subscriptionId: id, days });
    expect((await advance(5)).status).toBe(200);
    expect((await signature(token, checkout.newPayer())).message).toContain(' after a trial of 2 days ');
    expect((await advance(5)).status).toBe(200);
    expect((await signature(token, checkout.newPayer())).message).not.toContain('trial');
  });

  it('names no trial that the first charge has ended', async () => {
    const payer = checkout.newPayer();
    const wallets = [{ chainFamily: 'evm', address: payer.address }];
    checkout.chain.state = PLENTY;
    const { token, id, merchant } = await linked({ trialDays: 7 }, { wallets });
    await checkout.billing.quiet();
    const charged = merchant.post('/sandbox/charge', { subscriptionId: id });
    const { charges } = checkout.chain;
    await charges.refuse((await charges.waiting({ from: payer.address })).paymentId, 'insufficient_balance');
    expect(await charged).toMatchObject({ body: { outcome: 'failed' } });
    expect((await signature(token, payer)).message).not.toContain('trial');
  });

  it('is completed by an authorization during the trial; after the trial the first charge is still due', async () => {
    checkout.chain.state = PLENTY;
    const inTime = await linked({ trialDays: 7 });
    expect((await authorize(inTime.token, checkout.newPayer())).body).toMatchObject({
      isAuthorized: true,
      outcome: { progress: 'completed' },
    });
    const late = await linked({ trialDays: 7 });
    checkout.later(7 * 86_400_000);
    expect((await authorize(late.token, checkout.newPayer())).body).toMatchObject({
      isAuthorized: true,
      outcome: { progress: 'charging', afterCompletion: null },
    });
  });

  it('answers a repeated request with 200, without a change after another wallet has taken over', async () => {
    const { token, id } = await linked();
    const [first, second] = [checkout.newPayer(), checkout.newPayer()];
    const body = await signature(token, first);
    const post = () => checkout.post(`/authorizations/${token}`, body);
    expect((await Promise.all([post(), post()])).map(({ status }) => status)).toEqual([200, 200]);
    checkout.later(3_600_000);
    expect(await post()).toMatchObject({ status: 200, body: { signedBy: first.address } });
    expect((await authorize(token, second)).status).toBe(200);
    expect(await post()).toMatchObject({ status: 200, body: { signedBy: second.address } });
    expect(await contextOf(id)).toMatchObject({ payerWallet: second.address });
  });

  it('makes another wallet the payer only if the payer or the merchant has confirmed it, once and within a day', async () => {
    const made = await linked();
    const [payer, stranger] = [checkout.newPayer(), checkout.newPayer()];
    checkout.chain.state = PLENTY;
    await authorize(made.token, payer);
    await checkout.payFirstCycle(made.id);
    // The payer's approval and money are gone, but not their subscription.
    checkout.chain.state = NOTHING;
    await checkout.billing.watcher.check([made.id]);
    const migration = await migrationTo(made, monthly({ amount: '50' }));
    const late = await newPayerLink(made);
    checkout.later(86_400_000);
    const confirmed = await newPayerLink(made);

    const address = stranger.address;
    const refused = [
      await checkout.post(`/authorizations/${made.token}/challenges`, { address }),
      await checkout.get(`/authorizations/${made.token}/wallets/${address}`),
      await checkout.post(`/authorizations/${migration.token}/challenges`, { address }),
      await checkout.post(`/authorizations/${late}/challenges`, { address }),
    ];
    const error = expect.stringMatching(`^Another wallet pays this subscription: ${payer.address}`);
    expect(refused).toMatchObject(refused.map(() => ({ status: 409, body: { error } })));
    expect(await contextOf(made.id)).toMatchObject({ payerWallet: payer.address, migration: { wallet: null } });
    expect((await authorize(made.token, payer)).status).toBe(200);

    const text = await signature(confirmed, stranger);
    const third = await signature(confirmed, checkout.newPayer());
    expect((await checkout.post(`/authorizations/${confirmed}`, text)).status).toBe(200);
    expect(await contextOf(made.id)).toMatchObject({ payerWallet: stranger.address });
    expect(await checkout.post(`/authorizations/${confirmed}`, third)).toMatchObject({ status: 409 });
    expect((await checkout.post(`/authorizations/${confirmed}`, text)).status).toBe(200);
    expect(await contextOf(made.id)).toMatchObject({ payerWallet: stranger.address });
  });

  it('makes another wallet pay from then on, when its own allowance is there', async () => {
    const payer = checkout.newPayer();
    const wallets = [{ chainFamily: 'evm', address: payer.address }];
    checkout.chain.state = PLENTY;
    const made = await linked({ trialDays: 7 }, { wallets });
    const { id, customerId } = made;
    await checkout.billing.quiet();
    const token = await newPayerLink(made);
    expect(await contextOf(id)).toMatchObject({ payerWallet: payer.address, allowanceConfirmed: true });
    checkout.chain.state = NOTHING;
    const other = checkout.newPayer();
    expect((await authorize(token, other)).body).toMatchObject({ signedBy: other.address, isAuthorized: false });
    expect(await contextOf(id)).toMatchObject({ payerWallet: other.address, authorizedAt: null, wakeAt: null });
    const [customer] = await checkout.http.store.records.get('customers', [customerId]);
    expect(customer?.wallets).toEqual(wallets);
    checkout.chain.state = PLENTY;
    expect((await checkout.get(`/authorizations/${token}`)).body).toMatchObject({ isAuthorized: true });
    const context = subscriptionContext.parse(await contextOf(id));
    expect(chargeDueAt(context)).toBe(context.trialEnd);
  });

  it('makes a covering wallet pay while a check of the earlier wallet is still pending', async () => {
    const payer = checkout.newPayer();
    checkout.chain.state = PLENTY;
    const wallets = [{ chainFamily: 'evm', address: payer.address }];
    const made = await linked({ trialDays: 9 }, { wallets });
    const { id, merchant } = made;
    await checkout.billing.quiet();
    const token = await newPayerLink(made);
    checkout.chain.state = null;
    const body = { subscriptionId: id, days: 3 };
    expect((await merchant.post('/sandbox/advance', body)).status).toBe(200);
    expect(await contextOf(id)).toMatchObject({ risk: { isAwaited: true } });
    checkout.chain.state = PLENTY;
    const other = checkout.newPayer();
    expect((await authorize(token, other)).body).toMatchObject({ signedBy: other.address, isAuthorized: true });
    await checkout.billing.quiet();
    const context = subscriptionContext.parse(await contextOf(id));
    expect(context).toMatchObject({ payerWallet: other.address, allowanceConfirmed: true, risk: { isAwaited: false } });
    expect(dueAt(context)).toBe(context.trialEnd);
    expect(context.wakeAt).toBe(context.risk.lookAt);
    expect(context.wakeAt).not.toBeNull();
    expect(await checkout.http.store.records.get('watches', [id, `${id}:risk`])).toEqual([]);
  });

  it('refuses the text of old terms after a migration', async () => {
    const made = await linked();
    const [payer, other] = [checkout.newPayer(), checkout.newPayer()];
    const body = await signature(made.token, payer);
    checkout.chain.state = PLENTY;
    const { token, priceId } = await migrationTo(made, monthly({ amount: '50' }));
    expect((await authorize(token, other)).status).toBe(200);
    await checkout.billing.quiet();
    expect(await contextOf(made.id)).toMatchObject({ terms: { priceId }, payerWallet: other.address });
    expectError(await checkout.post(`/authorizations/${made.token}`, body), 400, expect.stringContaining('terms'));
    expect(await contextOf(made.id)).toMatchObject({ payerWallet: other.address });
    expect((await authorize(await newPayerLink(made), payer)).status).toBe(200);
    expect(await contextOf(made.id)).toMatchObject({ payerWallet: payer.address });
  });

  it('gives the customer its wallet in a repeated request if the process died after the authorization', async () => {
    const { token, id, customerId } = await linked();
    const payer = checkout.newPayer();
    const body = await signature(token, payer);
    const { records } = checkout.http.store;
    const change = records.change.bind(records);
    records.change = async (of, ...about) => {
      if (of === 'customers') throw new Error('the process is no more');
      return change(of, ...about);
    };
    expect((await checkout.post(`/authorizations/${token}`, body)).status).toBe(500);
    records.change = change;
    expect(await contextOf(id)).toMatchObject({ payerWallet: payer.address });
    expect((await checkout.post(`/authorizations/${token}`, body)).status).toBe(200);
    const [customer] = await records.get('customers', [customerId]);
    expect(customer?.wallets).toEqual([{ chainFamily: 'evm', address: payer.address }]);
  });

  it('does not change the customer if the wallet belongs to another customer', async () => {
    const { token, id, merchant, customerId } = await linked();
    const payer = checkout.newPayer();
    const wallets = [{ chainFamily: 'evm', address: payer.address }];
    await merchant.post('/customers', { wallets });
    expect((await authorize(token, payer)).status).toBe(200);
    expect(await contextOf(id)).toMatchObject({ payerWallet: payer.address });
    const [customer] = await checkout.http.store.records.get('customers', [customerId]);
    expect(customer?.wallets).toEqual([]);
  });

  it('refuses the text of another link, a changed text, another wallet and a permit', async () => {
    const [one, other] = [await linked(), await linked()];
    const payer = checkout.newPayer();
    const body = await signature(one.token, payer);
    const foreign = await checkout.post(`/authorizations/${other.token}`, body);
    expectError(foreign, 400, expect.stringContaining('not a challenge'));
    const path = `/authorizations/${one.token}`;
    const message = body.message.replace('Version: 1', 'Version: 2');
    const tampered = { ...body, message, signature: await payer.signMessage(message) };
    expect((await checkout.post(path, tampered)).status).toBe(400);
    const stolen = { ...body, signature: await checkout.newPayer().signMessage(body.message) };
    expect((await checkout.post(path, stolen)).status).toBe(400);
    const permit = { value: '1', deadline: '1', signature: `0x${'11'.repeat(65)}` };
    expect((await checkout.post(path, { ...body, permit })).status).toBe(400);
    expect(await contextOf(one.id)).toMatchObject({ payerWallet: null });
    expect((await checkout.post(path, body)).status).toBe(200);
  });

  it('shows that a canceled subscription is over, and accepts no signature', async () => {
    const { token, id, merchant } = await linked();
    const payer = checkout.newPayer();
    const body = await signature(token, payer);
    await merchant.delete(`/subscriptions/${id}`);
    expect((await checkout.get(`/authorizations/${token}`)).body).toMatchObject({ outcome: { progress: 'ended' } });
    const error = 'Subscription is canceled; authorization needs pending, active or past_due';
    for (const [path, sent] of [
      ['/challenges', { address: payer.address }],
      ['', body],
    ] as const) {
      expectError(await checkout.post(`/authorizations/${token}${path}`, sent), 409, error);
    }
  });
});

describe('a link to a migration', () => {
  it('shows the new terms, and records who has signed them', async () => {
    const made = await linked();
    const { id } = made;
    await authorize(made.token, checkout.newPayer());
    const billing = { type: 'recurring', interval: 'year' };
    const { token, priceId } = await migrationTo(made, monthly({ amount: '50', billing }));
    expect((await checkout.get(`/authorizations/${token}`)).body).toMatchObject({
      kind: 'migration',
      terms: { amount: '50', interval: 'year' },
      signedBy: null,
      asked: { amount: '50.00', lines: [{ cycles: 3, total: '150.00' }], total: '150.00' },
    });
    const payer = checkout.newPayer();
    const body = await signature(token, payer);
    expect(body.message).toContain(
      'I accept new terms of Club: I let Acme charge this account 50 USD, as 50.00 USDC on Local EVM, every year, through',
    );
    const post = () => checkout.post(`/authorizations/${token}`, body);
    expect(await post()).toMatchObject({ status: 200, body: { signedBy: payer.address, isAuthorized: false } });
    expect(await post()).toMatchObject({ status: 200, body: { signedBy: payer.address } });
    expect(await contextOf(id)).toMatchObject({ migration: { wallet: payer.address, terms: { priceId } } });

    await checkout.billing.engine.dispatch({
      kind: 'subscription',
      id,
      event: { type: 'migration.seen', covers: true },
      by: 'chain',
    });
    expect((await checkout.get(`/authorizations/${token}`)).body).toMatchObject({
      isAuthorized: true,
      signedBy: payer.address,
      terms: { amount: '50' },
    });
    const late = await checkout.post(`/authorizations/${token}/challenges`, { address: payer.address });
    expect(late.status).toBe(409);
    expect((await post()).status).toBe(200);
  });

  it('refuses the signature for terms that were replaced while a contract wallet was being asked', async () => {
    const made = await linked();
    const { token } = await migrationTo(made, monthly({ amount: '20' }));
    const wallet = checkout.newPayer();
    const body = { ...(await signature(token, wallet)), signature: '0x11' };
    const { acceptsSignature } = checkout.chain;
    checkout.chain.acceptsSignature = async () => {
      await migrationTo(made, monthly({ amount: '50' }));
      return true;
    };
    const reply = await checkout.post(`/authorizations/${token}`, body);
    checkout.chain.acceptsSignature = acceptsSignature;
    expect(reply.status).toBe(404);
    expect(await contextOf(made.id)).toMatchObject({ migration: { wallet: null, terms: { priceAmount: '50' } } });
  });

  it("counts in the sum of another wallet that signed it, as a reserve, and not in the payer's", async () => {
    checkout.chain.state = PLENTY;
    const made = await linked();
    const [payer, other] = [checkout.newPayer(), checkout.newPayer()];
    await authorize(made.token, payer);
    await checkout.payFirstCycle(made.id);
    const { token } = await migrationTo(made, monthly({ amount: '50', maxCycles: 4 }), { newPayer: true });
    expect(await authorize(token, other)).toMatchObject({ status: 200 });
    await checkout.billing.quiet();
    expect(await contextOf(made.id)).toMatchObject({
      payerWallet: payer.address,
      migration: { wallet: other.address, covered: true },
    });
    const course = await checkout.oneTime({}, made.merchant);
    const own = { offerName: 'Course', amount: '25.00', cycles: 1 };
    expect(await checkout.pay(course, other)).toMatchObject({
      body: { asked: { lines: [own, { amount: '50.00', cycles: 3, total: '150.00' }] } },
    });
    expect(await checkout.pay(course, payer)).toMatchObject({ body: { asked: { lines: [own], total: '25.00' } } });
  });
});

describe('the sum on a page for a subscription with a waiting migration', () => {
  it('is the present price if another wallet has signed the new one', async () => {
    const { made, asked } = await bought();
    const { token } = await migrationTo(made, monthly({ amount: '50' }), { newPayer: true });
    expect((await authorize(token, checkout.newPayer())).status).toBe(200);
    await checkout.billing.quiet();
    expect(await contextOf(made.id)).toMatchObject({ migration: { covered: true } });
    expect(await asked()).toMatchObject({ amount: '9.90' });
  });

  it('is the new price if the same wallet signed', async () => {
    const { made, payer, asked } = await bought();
    const { token } = await migrationTo(made, monthly({ amount: '50' }));
    await authorize(token, payer);
    await checkout.billing.quiet();
    expect(await asked()).toMatchObject({ amount: '50.00' });
  });

  it('is the present price if the new one is in another token', async () => {
    const { made, payer, asked } = await bought();
    const { token } = await migrationTo(made, monthly({ amount: '50', acceptedTokens: ['usdt-local-evm'] }));
    await authorize(token, payer);
    await checkout.billing.quiet();
    expect(await contextOf(made.id)).toMatchObject({
      migration: { covered: true, terms: { tokenKey: 'usdt-local-evm' } },
    });
    expect(await asked()).toMatchObject({ amount: '9.90' });
  });

  it('leaves out an unreadable subscription', async () => {
    const { made, payer } = await bought();
    const { store } = checkout.http;
    const [sound] = await store.actors.load('subscription', [made.id]);
    if (!sound) throw new Error('nothing was bought');
    await insertActors(store, [
      { ...sound, _id: newId('sub', new Date()), context: { ...sound.context, terms: 'none' } },
    ]);
    const course = await checkout.oneTime({}, made.merchant);
    expect(await checkout.pay(course, payer)).toMatchObject({
      body: { asked: { lines: [{ amount: '25.00' }, { amount: '9.90' }] } },
    });
  });

  it('is the present price while a cycle is open, which keeps its price', async () => {
    const { made, payer, asked } = await bought();
    const body = { subscriptionId: made.id, status: 'past_due' };
    expect((await made.merchant.post('/sandbox/advance', body)).status).toBe(200);
    const { token } = await migrationTo(made, monthly({ amount: '50', maxCycles: 4 }));
    await authorize(token, payer);
    await checkout.billing.quiet();
    expect(await contextOf(made.id)).toMatchObject({ open: { number: 2 }, migration: { covered: true } });
    expect(await asked()).toMatchObject({ amount: '9.90' });
    // Four cycles in all: one is paid, and one is open.
    const lines = [
      { amount: '50.00', cycles: 2 },
      { offerName: 'Club', amount: '9.90', cycles: 1 },
    ];
    expect((await checkout.get(`/authorizations/${token}`)).body).toMatchObject({ asked: { lines, total: '109.90' } });
    checkout.chain.state = { ...PLENTY, allowance: 50_000_000n };
    expect((await checkout.get(`/authorizations/${token}`)).body).toMatchObject({
      chain: { missingAllowance: '9.90' },
    });
  });

  it("contains the wallet's other subscriptions only where that wallet has signed", async () => {
    const { made, payer, sessionKey } = await bought();
    const tea = await checkout.offer({ name: 'Tea' }, made.merchant);
    await checkout.subscribe(tea, payer);
    await checkout.billing.quiet();
    const reply = z.looseObject({ asked: z.looseObject({ lines: z.array(z.unknown()) }) });
    const linesAt = async (path: string) => reply.parse((await checkout.get(path)).body).asked.lines.length;
    const token = await newPayerLink(made);
    const link = `/authorizations/${token}`;
    expect([await linesAt(`/sessions/${sessionKey}`), await linesAt(link)]).toEqual([2, 1]);
    const other = checkout.newPayer();
    await checkout.subscribe(tea, other);
    await authorize(token, other);
    await checkout.billing.quiet();
    expect([await linesAt(`/sessions/${sessionKey}`), await linesAt(link)]).toEqual([1, 2]);
  });

  it("comes after the wallet's earlier authorizations", async () => {
    const { made, payer } = await bought();
    checkout.later(1000);
    const second = await checkout.offer({ name: 'Second', pricing: [monthly({ amount: '10' })] }, made.merchant);
    expect((await checkout.subscribe(second, payer)).status).toBe(201);
    await checkout.billing.quiet();
    checkout.chain.state = { ...PLENTY, allowance: 20_000_000n };
    const { token } = await migrationTo(made, monthly({ amount: '20' }));
    await checkout.billing.quiet();
    await authorize(token, payer);
    await checkout.billing.quiet();
    const { body } = await checkout.get(`/authorizations/${token}`);
    expect(body).toMatchObject({ isAuthorized: false, chain: { missingAllowance: '10.00' } });
  });
});

/** A subscription that was bought at the checkout and paid once, and the sum on its page. */
async function bought() {
  checkout.chain.state = PLENTY;
  const sale = await checkout.offer({ name: 'Club', pricing: [monthly()] });
  const payer = checkout.newPayer();
  const sessionKey = checkout.newKey();
  expect((await checkout.subscribe(sale, payer, { sessionKey })).status).toBe(201);
  const [subscription] = await checkout.subscriptions(sale);
  await checkout.payFirstCycle(subscription?._id ?? '');
  const asked = async () => {
    const { body } = await checkout.get(`/sessions/${sessionKey}`);
    return z.looseObject({ asked: z.unknown() }).parse(body).asked;
  };
  return { made: { ...sale, id: subscription?._id ?? '' }, payer, asked, sessionKey };
}

/** A link to a migration to new terms, and their id. */
async function migrationTo(
  { merchant, id, offerId }: Pick<OnSale, 'merchant' | 'offerId'> & { readonly id: string },
  pricing: object,
  change: object = {},
): Promise<{ token: string; priceId: string }> {
  const grown = await merchant.post(`/offers/${offerId}/pricing`, pricing);
  const options = z.looseObject({ pricing: z.array(z.object({ id: z.string() })) }).parse(grown.body).pricing;
  const priceId = options.at(-1)?.id ?? '';
  const asked = await merchant.post(`/subscriptions/${id}/migrate`, { priceId, ...change });
  return { token: linkTokenIn(asked), priceId };
}
