import { FIRST_CHARGE, type Story } from '../story.ts';

/** From monthly to yearly terms: the first request is ignored, the second signed; the next period has them. */
export const migrate: Story = {
  name: 'migrate',
  title: 'A subscription moves to other terms when its payer agrees',
  run: async (stage) => {
    const merchant = await stage.createMerchant();
    const monthly = await merchant.createOffer({ price: '9.90', every: 'month' });
    const ada = await merchant.createPayer({ name: 'Ada', has: '500.00' });
    const club = await ada.subscribe(monthly, { on: '2028-01-05' });
    await ada.approve('118.80');
    await club.expectStatus('active', { paid: 1, until: '2028-02-05' });
    const { priceId } = await merchant.addPrice(monthly, { price: '99.00', every: 'year' });

    stage.narrator.chapter('The payer does not answer: nothing changes');
    await club.advanceTo('2028-01-20');
    const { authorizationUrl, quote, ...asked } = await merchant.api.subscriptions.migrate(club.id, { priceId });
    stage.narrator.add({ what: 'The merchant asks: yearly terms?', amount: '99.00' });
    stage.expect.equal('The request waits for the payer', asked, {
      id: club.id,
      status: 'pending_authorization',
      priceId,
      pendingOfferPriceId: priceId,
      pendingPriceId: priceId,
    });
    stage.expect.equal('The quote has the price of later charges', quote?.later, '99.00');
    await club.expectTerms({ price: '9.90', pending: priceId });
    await club.advanceTo('2028-02-05');
    await club.expectStatus('active', { paid: 2, until: '2028-03-05' });
    await club.expectTerms({ price: '9.90', pending: priceId });

    stage.narrator.chapter('The payer agrees: new terms from the next period on');
    const again = await merchant.api.subscriptions.migrate(club.id, { priceId });
    stage.narrator.add({ what: 'The merchant asks again', amount: '99.00' });
    stage.expect.equal('The link is accepted', await ada.sign(again.authorizationUrl), 200);
    stage.expect.equal('The first link has ended', await ada.sign(authorizationUrl), 404);
    await ada.approve('297.00');
    await ada.expectAccepted(again.authorizationUrl);
    await club.expectTerms({ price: '9.90', pending: priceId });
    await club.advanceTo('2028-03-05');
    await club.expectStatus('active', { paid: 3, until: '2029-03-05' });
    await club.expectTerms({ price: '99.00', pending: null });
    await club.advanceTo('2029-03-05');
    await club.expectStatus('active', { paid: 4, until: '2030-03-05' });
    await club.cancel();
    await club.expectPeriods([
      '2028-01-05 to 2028-02-05',
      '2028-02-05 to 2028-03-05',
      '2028-03-05 to 2029-03-05',
      '2029-03-05 to 2030-03-05',
    ]);
    await club.expectEvents([
      ...FIRST_CHARGE,
      'payment.succeeded',
      'payment.succeeded',
      'payment.succeeded',
      'subscription.canceled',
    ]);
    await ada.expectPaid(['9.90', '9.90', '99.00', '99.00']);
  },
};
