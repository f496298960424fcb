import type { Payer } from './support/payer.ts';
import { type OnSale, type Plan, refusalOf, type Shop } from './support/shop.ts';
import type { Subscribed } from './support/subscribed.ts';
import { endsWithSoundBooks, storyTown } from './support/town.ts';

/** Other terms for a subscription that lives (reference, section 3: Migration). The shops open on 1 January 2028. */
const town = storyTown({ on: '2028-01-01', timezone: 'America/St_Johns' });

const FIRST_CHARGE = ['subscription.created', 'payment.succeeded', 'subscription.active'];
const MONTHLY: Plan = { price: '10.00', every: 'month' };
const YEARLY: Plan = { price: '99.00', every: 'year' };

interface Story {
  readonly shop: Shop;
  readonly ada: Payer;
  readonly club: Subscribed;
  readonly yearly: OnSale;
}

/** Ada, with 1,000.00, has paid 10.00 on 5 January 2028 for a month; the same offer is sold by the year too. */
async function paidOnce(allows = '1000.00'): Promise<Story> {
  const shop = await town().openShop();
  const monthly = await shop.sells(MONTHLY);
  const yearly = await shop.alsoSells(monthly, YEARLY);
  const ada = await shop.customer({ has: '1000.00' });
  const club = await ada.subscribes(monthly, { on: '2028-01-05' });
  await ada.approves(allows);
  await club.expectStatus('active', { paid: 1, until: '2028-02-05' });
  return { shop, ada, club, yearly };
}

describe('A migration to yearly terms that is asked for on 20 January 2028', () => {
  it.concurrent('and signed that day, takes effect on 5 February, from which the year is counted', async () => {
    const { shop, ada, club, yearly } = await paidOnce();
    await club.on('2028-01-20');
    const { priceId } = yearly;
    const asked = await shop.api.subscriptions.migrate(club.id, { priceId });
    expect(asked).toMatchObject({
      status: 'pending_authorization',
      pendingPriceId: priceId,
      pendingOfferPriceId: priceId,
    });
    await club.expectTerms({ price: '10.00', pending: priceId });

    expect(await ada.signs(asked.authorizationUrl)).toBe(200);
    await club.expectStatus('active', { paid: 1, until: '2028-02-05' });
    await club.expectTerms({ price: '10.00', pending: priceId });
    await club.on('2028-02-04');
    await ada.expectPaid(['10.00']);

    await club.on('2028-02-05');
    await club.expectStatus('active', { paid: 2, until: '2029-02-05' });
    await club.expectTerms({ price: '99.00', pending: null });
    await club.on('2029-02-05');
    expect(await club.periods()).toEqual([
      '2028-01-05 to 2028-02-05',
      '2028-02-05 to 2029-02-05',
      '2029-02-05 to 2030-02-05',
    ]);
    await club.expectEvents([...FIRST_CHARGE, 'payment.succeeded', 'payment.succeeded']);
    await ada.expectPaid(['10.00', '99.00', '99.00']);
  });

  it.concurrent('and abandoned, changes nothing; its link is dead after 30 days', async () => {
    const { shop, ada, club, yearly } = await paidOnce();
    await club.on('2028-01-20');
    const { authorizationUrl } = await shop.api.subscriptions.migrate(club.id, { priceId: yearly.priceId });
    await club.on('2028-02-05');
    await club.expectStatus('active', { paid: 2, until: '2028-03-05' });
    await club.expectTerms({ price: '10.00', pending: yearly.priceId });
    await club.on('2028-02-20');
    expect(await ada.signs(authorizationUrl)).toBe(404);
    await club.expectTerms({ price: '10.00', pending: null });
    await club.on('2028-03-05');
    await club.expectStatus('active', { paid: 3, until: '2028-04-05' });
    await club.expectEvents([...FIRST_CHARGE, 'payment.succeeded', 'payment.succeeded']);
    await ada.expectPaid(['10.00', '10.00', '10.00']);
  });

  it.concurrent('and signed, but not allowed before 10 February, bills the month once more and the year from 5 March', async () => {
    const { shop, ada, club, yearly } = await paidOnce('60.00');
    await club.on('2028-01-20');
    const { authorizationUrl } = await shop.api.subscriptions.migrate(club.id, { priceId: yearly.priceId });
    expect(await ada.signs(authorizationUrl)).toBe(200);
    await club.on('2028-02-10');
    await club.expectStatus('active', { paid: 2, until: '2028-03-05' });
    await ada.approves('1000.00');
    await club.expectMigrationCovered();
    await club.on('2028-03-05');
    await club.expectStatus('active', { paid: 3, until: '2029-03-05' });
    await club.expectTerms({ price: '99.00', pending: null });
    await ada.expectPaid(['10.00', '10.00', '99.00']);
  });

  it.concurrent('is replaced by another that is asked for after it, and its link is dead', async () => {
    const { shop, ada, club, yearly } = await paidOnce();
    const halfYearly = await shop.alsoSells(yearly, { price: '20.00', every: 'month' });
    await club.on('2028-01-20');
    const first = await shop.api.subscriptions.migrate(club.id, { priceId: yearly.priceId });
    const second = await shop.api.subscriptions.migrate(club.id, { priceId: halfYearly.priceId });
    expect(await ada.signs(first.authorizationUrl)).toBe(404);
    expect(await ada.signs(second.authorizationUrl)).toBe(200);
    await club.on('2028-02-05');
    await club.expectTerms({ price: '20.00', pending: null });
    await club.expectStatus('active', { paid: 2, until: '2028-03-05' });
    await ada.expectPaid(['10.00', '20.00']);
  });

  it.concurrent('and signed by another wallet, bills that wallet from 5 February on', async () => {
    const { shop, ada, club, yearly } = await paidOnce();
    const ben = await shop.customer({ has: '1000.00' });
    await club.on('2028-01-20');
    const { authorizationUrl } = await shop.api.subscriptions.migrate(club.id, { priceId: yearly.priceId });
    expect(await ben.signs(authorizationUrl)).toBe(200);
    await ben.approves('1000.00');
    await club.expectMigrationCovered();
    await club.on('2028-02-05');
    await club.expectStatus('active', { paid: 2, until: '2029-02-05' });
    await ada.expectPaid(['10.00']);
    await ben.expectPaid(['99.00']);
  });

  it.concurrent('is refused for the price that it has already, one of another offer, and once it is canceled', async () => {
    const { shop, club, yearly } = await paidOnce();
    const other = await shop.sells(YEARLY);
    const migrate = (priceId: string) => refusalOf(shop.api.subscriptions.migrate(club.id, { priceId }));
    expect(await migrate(other.priceId)).toMatch(/^400 /);
    expect(await migrate((await club.subscription()).offerPriceId)).toMatch(/^400 /);
    await shop.api.subscriptions.cancel(club.id);
    expect(await migrate(yearly.priceId)).toMatch(/^400 Subscription is canceled; /);
  });
});

describe('A migration that is asked for and signed on 6 February 2028, while the charge of the 5th is past due', () => {
  it.concurrent('leaves the open month at its price; what comes after it has the new one', async () => {
    const { shop, ada, club, yearly } = await paidOnce();
    await ada.spendsEverything();
    await club.on('2028-02-06');
    await club.expectStatus('past_due', { failures: 2, because: 'insufficient_balance' });
    const { authorizationUrl } = await shop.api.subscriptions.migrate(club.id, { priceId: yearly.priceId });
    expect(await ada.signs(authorizationUrl)).toBe(200);
    await club.expectTerms({ price: '10.00', pending: yearly.priceId });

    await ada.receives('500.00');
    await club.expectStatus('active', { paid: 2, failures: 0, until: '2028-03-05' });
    await ada.expectPaid(['10.00', '10.00']);
    await club.on('2028-03-05');
    await club.expectStatus('active', { paid: 3, until: '2029-03-05' });
    await club.expectTerms({ price: '99.00', pending: null });
    await ada.expectPaid(['10.00', '10.00', '99.00']);
    const noBalance = 'payment.failed: insufficient_balance';
    await club.expectEvents([...FIRST_CHARGE, noBalance, noBalance, 'payment.succeeded', 'payment.succeeded']);
  });
});

describe('A migration of what has not been paid for yet, on 5 January 2028', () => {
  it.concurrent('holds at once: the first charge is of the new terms', async () => {
    const shop = await town().openShop();
    const monthly = await shop.sells(MONTHLY);
    const yearly = await shop.alsoSells(monthly, YEARLY);
    const ada = await shop.customer({ has: '1000.00' });
    const club = await ada.subscribes(monthly, { on: '2028-01-05' });
    const { authorizationUrl } = await shop.api.subscriptions.migrate(club.id, { priceId: yearly.priceId });
    expect(await ada.signs(authorizationUrl)).toBe(200);
    await club.expectStatus('pending', { paid: 0 });
    await ada.approves('1000.00');
    await club.expectStatus('active', { paid: 1, until: '2029-01-05' });
    await club.expectTerms({ price: '99.00', pending: null });
    await club.expectEvents(FIRST_CHARGE);
    await ada.expectPaid(['99.00']);
  });
});

endsWithSoundBooks(town);
