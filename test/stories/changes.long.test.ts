import { merchantSalt, routerInterface } from '../../src/chains/evm/contracts/router.ts';
import { apiOfLink } from '../../stage/authorize.ts';
import { refusalOf } from '../../stage/merchant.ts';
import { FIRST_CHARGE } from '../../stage/story.ts';
import { TOKEN_KEY, units } from '../../stage/tokens.ts';
import { until } from '../../stage/until.ts';
import { endsWithSoundBooks, useStage } from '../support/stage.ts';
import { untilMigrationCovered } from './support/stored.ts';
import { MONTHLY, paidOnce, subscribed } from './support/subscribed.ts';

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

describe('A coupon of a whole month', () => {
  it.concurrent('makes February 2028 free, which counts as a cycle, and March is paid', async () => {
    const { merchant, ada, club } = await paidOnce(stage(), MONTHLY, { on: '2028-01-05' });
    const { id: couponId } = await merchant.api.coupons.create({ percentOff: '100', cycles: 1 });
    await merchant.api.subscriptions.setDiscount(club.id, { couponId });
    await club.advanceTo('2028-02-05');
    await club.expectStatus('active', { paid: 2, until: '2028-03-05' });
    await club.advanceTo('2028-03-05');
    await club.expectStatus('active', { paid: 3 });
    await ada.expectPaid(['10.00', '10.00']);
  });
});

describe('Calls of which the first hundred of each month are free, from January 2028 on', () => {
  it.concurrent('are charged after each month with use, once for each key, and once more at the end', async () => {
    const merchant = await stage().createMerchant();
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
    await calls(400, 'March');
    await merchant.api.subscriptions.cancel(club.id, { atPeriodEnd: true });
    await club.advanceTo('2028-04-02');
    await club.expectStatus('canceled', { paid: 3 });
    expect(await refusalOf(calls(1, 'April'))).toMatch(/^409 /);
    expect((await club.payments()).map(({ usage }) => usage?.units)).toEqual([600, 400]);
    await ada.expectPaid(['5.00', '3.00']);
  });
});

describe('A plan of 10.00 a month, for which its payer signs a smaller one on 20 January 2028', () => {
  it.concurrent('goes down with the next period, unless that is taken back', async () => {
    const { merchant, offer, ada, club } = await paidOnce(stage(), MONTHLY, { on: '2028-01-05' });
    const { priceId } = await merchant.addPrice(offer, { price: '4.00', every: 'month' });
    const sign = async () => {
      const { authorizationUrl } = await merchant.api.subscriptions.migrate(club.id, { priceId });
      expect(await ada.sign(authorizationUrl)).toBe(200);
      await ada.approve('1000.00');
      await untilMigrationCovered(club);
    };
    await club.advanceTo('2028-01-20');
    await sign();
    await merchant.api.subscriptions.cancelMigration(club.id);
    await club.expectTerms({ price: '10.00', pending: null });
    await club.advanceTo('2028-02-05');
    await club.expectStatus('active', { paid: 2 });
    await sign();
    await club.expectTerms({ price: '10.00', pending: priceId });
    await club.advanceTo('2028-03-05');
    await club.expectStatus('active', { paid: 3 });
    await club.expectTerms({ price: '4.00', pending: null });
    await ada.expectPaid(['10.00', '10.00', '4.00']);
    await club.expectEvents([...FIRST_CHARGE, 'payment.succeeded', 'payment.succeeded']);
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
