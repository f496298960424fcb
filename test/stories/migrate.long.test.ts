import { tokenNamed } from '../../scripts/lib/devnet-facts.ts';
import type { Plan } from '../../stage/merchant.ts';
import type { Payer } from '../../stage/payer.ts';
import type { OnSale } from '../../stage/seller.ts';
import { FIRST_CHARGE } from '../../stage/story.ts';
import type { StagedSubscription } from '../../stage/subscription.ts';
import { endsWithSoundBooks, useStage } from '../support/stage.ts';
import { untilMigrationCovered } from './support/stored.ts';
import { MONTHLY, paidOnce, type Subscribed } from './support/subscribed.ts';

/** Other terms for a living subscription (reference, section 3: Migration). The stories begin on 1 January 2028. */
const stage = useStage({ on: '2028-01-01', env: { TZ: 'America/St_Johns' } });

const YEARLY: Plan = { price: '99.00', every: 'year' };

/** Ada has paid 10.00 on 5 January 2028 for a month; the same offer also has a yearly price. */
async function paidMonthly(allows = '1000.00'): Promise<Subscribed & { readonly yearly: OnSale }> {
  const story = await paidOnce(stage(), MONTHLY, { on: '2028-01-05', allows });
  return { ...story, yearly: await story.merchant.addPrice(story.offer, YEARLY) };
}

/** The same on 20 January, when the merchant has asked for the yearly terms. */
async function asked(allows?: string): Promise<Awaited<ReturnType<typeof paidMonthly>> & { readonly link: string }> {
  const story = await paidMonthly(allows);
  await story.club.advanceTo('2028-01-20');
  return { ...story, link: await linkFor(story, story.yearly.priceId) };
}

/** The link at which the payer agrees to these terms. */
async function linkFor({ merchant, club }: Subscribed, priceId: string, newPayer = false): Promise<string> {
  return (await merchant.api.subscriptions.migrate(club.id, { priceId, newPayer })).authorizationUrl;
}

/** The payer signs at the link, approves, and the service has seen it. */
async function agrees(payer: Payer, link: string, club: StagedSubscription): Promise<void> {
  expect(await payer.sign(link)).toBe(200);
  await payer.approve('1000.00');
  await untilMigrationCovered(club);
}

describe('A migration to yearly terms that is requested on 20 January 2028', () => {
  it.concurrent('changes nothing if it is abandoned; its link ends after 30 days', async () => {
    const { ada, club, yearly, link } = await asked();
    await club.advanceTo('2028-02-05');
    await club.expectStatus('active', { paid: 2, until: '2028-03-05' });
    await club.expectTerms({ price: '10.00', pending: yearly.priceId });
    await club.advanceTo('2028-02-20');
    expect(await ada.sign(link)).toBe(404);
    await club.expectTerms({ price: '10.00', pending: null });
    await club.advanceTo('2028-03-05');
    await club.expectStatus('active', { paid: 3, until: '2028-04-05' });
    await club.expectEvents([...FIRST_CHARGE, 'payment.succeeded', 'payment.succeeded']);
    await ada.expectPaid(['10.00', '10.00', '10.00']);
  });

  it.concurrent('bills the month once more and the year from 5 March if it is signed, but not approved before 10 February', async () => {
    const { ada, club, link } = await asked('60.00');
    expect(await ada.sign(link)).toBe(200);
    await club.advanceTo('2028-02-10');
    await club.expectStatus('active', { paid: 2, until: '2028-03-05' });
    await ada.approve('1000.00');
    await untilMigrationCovered(club);
    await club.advanceTo('2028-03-05');
    await club.expectStatus('active', { paid: 3, until: '2029-03-05' });
    await club.expectTerms({ price: '99.00', pending: null });
    await ada.expectPaid(['10.00', '10.00', '99.00']);
  });

  it.concurrent('bills another token and wallet from 5 February on if they are signed', async () => {
    const story = await paidMonthly();
    const { merchant, offer, club } = story;
    const { chain } = stage();
    const [tokenKey, token] = ['usdt-ethereum', tokenNamed(chain.facts, 'usdt-local-evm')];
    await merchant.api.wallets.register({ tokenKey, receiverWallet: merchant.payoutWallet });
    const option = {
      amount: '9.00',
      acceptedTokens: [tokenKey],
      billing: { type: 'recurring', interval: 'month' },
    } as const;
    const priceId = (await merchant.api.offers.addPrice(offer.offerId, option)).pricing.at(-1)?.id ?? '';
    const ben = await merchant.createPayer({ has: '0' });
    await chain.transfer(chain.wallet('payer-9'), ben.address, '9.00', token);

    await club.advanceTo('2028-01-20');
    expect(await ben.sign(await linkFor(story, priceId, true))).toBe(200);
    await ben.approve('9.00', token);
    await untilMigrationCovered(club);
    await club.advanceTo('2028-02-05');
    await club.expectStatus('active', { paid: 2, until: '2028-03-05' });
    expect(await club.subscription()).toMatchObject({ tokenKey, chainId: 1, payerWallet: ben.address });
    expect((await club.view()).lastInvoice).toMatchObject({ grossAmount: '9.00', tokenKey });
    expect(await chain.movedFrom(ben.address, token)).toEqual([9_000_000n]);
  });
});

describe('A migration that is requested and signed on 6 February 2028, while the charge of the 5th is past due', () => {
  it.concurrent('keeps the open month at its price; later ones have the new price', async () => {
    const story = await paidMonthly();
    const { ada, club, yearly } = story;
    await ada.spendEverything();
    await club.advanceTo('2028-02-06');
    await club.expectStatus('past_due', { failures: 2, because: 'insufficient_balance' });
    await agrees(ada, await linkFor(story, yearly.priceId), club);
    await club.expectTerms({ price: '10.00', pending: yearly.priceId });

    await ada.receive('500.00');
    await club.expectStatus('active', { paid: 2, failures: 0, until: '2028-03-05' });
    await ada.expectPaid(['10.00', '10.00']);
    await club.advanceTo('2028-03-05');
    await club.expectStatus('active', { paid: 3, until: '2029-03-05' });
    await club.expectTerms({ price: '99.00', pending: null });
    await ada.expectPaid(['10.00', '10.00', '99.00']);
    const noBalance = 'payment.failed: insufficient_balance';
    await club.expectEvents([...FIRST_CHARGE, noBalance, noBalance, 'payment.succeeded', 'payment.succeeded']);
  });
});

endsWithSoundBooks(stage);
