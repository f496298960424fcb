import { merchantSalt, routerInterface } from '../../src/chains/evm/contracts/router.ts';
import { apiOfLink } from '../../stage/authorize.ts';
import { refusalOf } from '../../stage/merchant.ts';
import { FIRST_CHARGE } from '../../stage/story.ts';
import { inTokens, TOKEN_KEY, units } from '../../stage/tokens.ts';
import { until } from '../../stage/until.ts';
import { endsWithSoundBooks, useStage } from '../support/stage.ts';
import { untilMigrationCovered } from './support/stored.ts';
import { MONTHLY, paidOnce, type Subscribed, subscribed } from './support/subscribed.ts';

/** Changes around a living subscription. The stories begin on 1 January 2028. */
const stage = useStage({ on: '2028-01-01', env: { TZ: 'Pacific/Chatham' } });

describe('A payout wallet that is replaced on 20 January 2028, in the middle of a month that is paid', () => {
  it.concurrent.each(['has approved the open operator', 'has signed a mandate'])(
    'gets the charge of 5 February if the payer %s; earlier payments stay where they went',
    async (consent) => {
      const { merchant, ada, club } = await subscribed(stage(), MONTHLY, { on: '2028-01-05' });
      const isSigned = consent === 'has signed a mandate';
      if (isSigned) expect(await ada.sign(club.link)).toBe(200);
      await ada.approve('100.00');
      await club.expectStatus('active', { paid: 1 });
      await club.advanceTo('2028-01-20');
      const newWallet = await merchant.replacePayoutWallet();
      if (isSigned) await untilAnnounced(newWallet);

      await club.advanceTo('2028-02-05');
      await club.expectStatus('active', { paid: 2 });
      for (const wallet of [merchant.payoutWallet, newWallet]) {
        expect(await merchant.stage.chain.movedTo(wallet)).toEqual([units('9.90')]);
      }
      expect((await club.payments()).map(({ toWallet }) => toWallet)).toEqual([merchant.payoutWallet, newWallet]);
      await merchant.expectEvents(TOKEN_KEY, ['wallet.updated', 'wallet.updated']);
      await club.expectEvents([...FIRST_CHARGE, 'payment.succeeded']);
      await ada.expectPaid(['10.00', '10.00']);
    },
  );

  async function untilAnnounced(payee: string): Promise<void> {
    const { records } = await stage().store();
    const announced = () => records.find('announcements', { where: { payee }, limit: 10 });
    const docs = await until('the router has announced it', announced, ([doc]) => doc?.state === 'announced');
    expect(docs).toHaveLength(1);
  }
});

describe('Seats of which a team has three on 5 January 2028', () => {
  it.concurrent('are charged by their number when each month begins, and never above what was signed', async () => {
    const merchant = await stage().createMerchant();
    const plan = { price: '5.00', every: 'month', model: 'per_unit', maxQuantity: 8 } as const;
    const ada = await merchant.createPayer({ has: '66.00' });
    const club = await ada.subscribe(await merchant.createOffer(plan), { on: '2028-01-05', quantity: 3 });
    expect(await ada.sign(club.link)).toBe(200);
    await ada.approve('100.00');
    await club.expectStatus('active', { paid: 1 });
    const seats = (quantity: number) => merchant.api.subscriptions.changeQuantity(club.id, { quantity });

    for (const quantity of [5, 8, 4]) await seats(quantity);
    expect(await refusalOf(seats(9))).toMatch(/^400 /);
    await club.advanceTo('2028-02-05');
    await club.expectStatus('active', { paid: 2 });
    await seats(8);
    await club.advanceToMorning('2028-03-05');
    await club.expectStatus('past_due', { paid: 2 });
    expect(await refusalOf(seats(2))).toMatch(/^409 /);
    await ada.receive('20.00');
    await club.expectStatus('active', { paid: 3 });
    await seats(2);
    await club.advanceTo('2028-04-05');
    await club.expectStatus('active', { paid: 4, until: '2028-05-05' });
    expect((await club.payments()).map(({ quantity }) => quantity)).toEqual([3, 4, 8, 2]);
    await ada.expectPaid(['15.00', '20.00', '40.00', '10.00']);
  });
});

describe('A coupon of a quarter for two months, and one of a whole month', () => {
  it.concurrent('take exactly that off the charges of January and February 2028, and the month of April', async () => {
    const merchant = await stage().createMerchant();
    const ada = await merchant.createPayer({ has: '100.00' });
    const club = await ada.subscribe(await merchant.createOffer({ price: '9.99', every: 'month' }), {
      on: '2028-01-05',
    });
    const { coupons, subscriptions } = merchant.api;
    const quarter = await coupons.create({ code: 'QUARTER', percentOff: '25', cycles: 2, maxRedemptions: 1 });
    await subscriptions.setDiscount(club.id, { couponId: quarter.id });
    expect(await ada.sign(club.link)).toBe(200);
    await ada.approve('100.00');
    await club.expectStatus('active', { paid: 1 });
    await club.advanceTo('2028-02-05');
    await club.advanceTo('2028-03-05');
    await club.expectStatus('active', { paid: 3 });
    const month = await coupons.create({ percentOff: '100', cycles: 1 });
    await subscriptions.setDiscount(club.id, { couponId: month.id });
    await club.advanceTo('2028-04-05');
    await club.expectStatus('active', { paid: 4, until: '2028-05-05' });
    await club.advanceTo('2028-05-05');
    await club.expectStatus('active', { paid: 5 });
    const shown = (await club.payments()).map(({ discount }) => discount?.amount ?? null);
    expect(shown.toSorted()).toEqual(['2.4975', '2.4975', null, null].toSorted());
    expect((await coupons.get(quarter.id)).redemptions).toBe(1);
    await ada.expectPaid(['7.4925', '7.4925', '9.99', '9.99']);
  });
});

describe('Calls of which the first hundred of each month are free, from January 2028 on', () => {
  it.concurrent('are charged after each month, at most what was signed, and once more at the end', async () => {
    const merchant = await stage().createMerchant();
    await merchant.api.webhooks.setEndpoint({ extraEvents: true });
    const plan = { price: '0.01', every: 'month', model: 'metered', includedUnits: 100, capAmount: '10.00' } as const;
    const ada = await merchant.createPayer({ has: '100.00' });
    const club = await ada.subscribe(await merchant.createOffer(plan));
    expect(await ada.sign(club.link)).toBe(200);
    await ada.approve('100.00');
    await club.expectAuthorized();
    const calls = (quantity: number, idempotencyKey: string) =>
      merchant.api.subscriptions.recordUsage(club.id, { quantity, idempotencyKey });

    await calls(600, 'January');
    await calls(600, 'January');
    await club.expectStatus('pending', { paid: 0 });
    await club.advanceTo('2028-02-02');
    await club.expectStatus('active', { paid: 1 });
    await calls(100, 'February');
    await club.advanceTo('2028-03-02');
    await club.expectStatus('active', { paid: 2 });
    await calls(2_000, 'March');
    expect(await merchant.api.subscriptions.usage(club.id)).toMatchObject({ chargeAmount: '10.00', level: 190 });
    await club.advanceTo('2028-04-02');
    await club.advanceTo('2028-05-02');
    await club.expectStatus('active', { paid: 4 });
    await calls(400, 'May');
    await merchant.api.subscriptions.cancel(club.id, { atPeriodEnd: true });
    await club.advanceTo('2028-06-02');
    await club.expectStatus('canceled', { paid: 5 });
    expect(await refusalOf(calls(1, 'June'))).toMatch(/^409 /);
    expect((await club.payments()).map(({ usage }) => usage?.units)).toEqual([600, 2_000, 0, 400]);
    await ada.expectPaid(['5.00', '10.00', '9.00', '3.00']);
  });
});

describe('A plan of 10.00 a month, which its payer changes from 20 January 2028 on', () => {
  /** The payer signs another price, approves it, and the service has seen that. */
  async function signs({ merchant, ada, club }: Subscribed, priceId: string, how: object = {}): Promise<void> {
    const { authorizationUrl } = await merchant.api.subscriptions.migrate(club.id, { priceId, ...how });
    expect(await ada.sign(authorizationUrl)).toBe(200);
    await ada.approve('1000.00');
  }

  it.concurrent('goes up at once with a credit, and down with the next period unless that is taken back', async () => {
    const story = await paidOnce(stage(), MONTHLY, { on: '2028-01-05' });
    const { merchant, offer, ada, club } = story;
    const pro = await merchant.addPrice(offer, { price: '30.00', every: 'month' });
    const lite = await merchant.addPrice(offer, { price: '4.00', every: 'month' });
    await club.advanceTo('2028-01-20');
    await signs(story, pro.priceId, { when: 'now', proration: 'credit' });
    await club.expectStatus('active', { paid: 2 });
    const [paid, next] = await club.payments();
    const ms = (moment: string | null | undefined) => BigInt(Date.parse(moment ?? ''));
    const [start, end, at] = [ms(paid?.periodStart), ms(paid?.periodEnd), ms(next?.periodStart)];
    const credit = (units('10.00') * (end - at)) / (end - start);
    const now = inTokens(units('30.00') - credit);
    expect(next).toMatchObject({ amount: now, credit: { amount: inTokens(credit), paymentId: paid?.id } });
    expect(credit > units('4.90') && credit < units('5.10')).toBe(true);

    await signs(story, lite.priceId);
    await untilMigrationCovered(club);
    await merchant.api.subscriptions.cancelMigration(club.id);
    await club.expectTerms({ price: '30.00', pending: null });
    await club.advanceTo('2028-02-21');
    await club.expectStatus('active', { paid: 3 });
    await signs(story, lite.priceId);
    await untilMigrationCovered(club);
    await club.expectTerms({ price: '30.00', pending: lite.priceId });
    await club.advanceTo('2028-03-21');
    await club.expectStatus('active', { paid: 4 });
    await club.expectTerms({ price: '4.00', pending: null });
    await ada.expectPaid(['10.00', now, '30.00', '4.00']);
    await club.expectEvents([...FIRST_CHARGE, ...Array(3).fill('payment.succeeded')]);
  });
});

describe('An agreement that its payer revokes on the router on 20 January 2028', () => {
  it.concurrent('charges nothing more, says why, and continues when the payer signs again', async () => {
    const { merchant, ada, club } = await subscribed(stage(), MONTHLY, { on: '2028-01-05' });
    await ada.sign(club.link);
    await ada.approve('100.00');
    await club.expectStatus('active', { paid: 1 });
    await club.advanceTo('2028-01-20');
    const { records } = await stage().store();
    const mandates = () =>
      records.find('mandates', { where: { payer: ada.address }, sort: [['issuedAt', 1]], limit: 3 });
    const [first] = await mandates();
    if (!first?.router) throw new Error('no mandate on a router');
    const data = routerInterface.encodeFunctionData('revoke', [merchantSalt(merchant.id, 'test'), first.agreement]);
    await stage().chain.send(ada.wallet, { to: first.router, data });
    await until(
      'it is noted',
      () => club.view(),
      ({ allowanceConfirmed }) => !allowanceConfirmed,
    );
    const page = await (await fetch(apiOfLink(club.link))).json();
    expect(page).toMatchObject({ isSigned: false, outcome: { waitsFor: 'signature' } });

    await club.advanceTo('2028-02-05');
    await club.expectStatus('past_due', { paid: 1, failures: 1, because: 'insufficient_allowance' });
    const where = { 'mandate.id': first._id, state: 'refused' } as const;
    const [refused, ...others] = await records.find('charges', { where, limit: 10 });
    expect([refused, others]).toMatchObject([{ refusal: { kind: 'revoked' }, txHash: null }, []]);
    await ada.expectPaid(['10.00']);

    expect(await ada.sign(club.link)).toBe(200);
    await club.expectStatus('active', { paid: 2 });
    expect((await mandates())[1]?.agreement).not.toBe(first.agreement);
    await ada.expectPaid(['10.00', '10.00']);
  });
});

endsWithSoundBooks(stage);
