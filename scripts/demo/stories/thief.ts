import { TOKEN_KEY } from '../shop.ts';
import type { Stage } from '../stage.ts';
import type { Story, StoryResult } from '../story.ts';
import { robByApi, type ThiefPayments } from './thief/api-key.ts';
import {
  approveByApi,
  approveYear,
  priceOf,
  type Subscriber,
  signAtCheckout,
  type Victim,
  victim,
} from './thief/cast.ts';
import { robByDatabase } from './thief/database-writes.ts';
import { signLive } from './thief/live-mandates.ts';
import { Loot } from './thief/loot.ts';
import { putOnSale } from './thief/offer.ts';
import { chargeEarly, chargeRevoked, revoke, robBounded, robLive, robOpen } from './thief/sender-key.ts';
import { Thief } from './thief/thief.ts';
import { withdraw } from './thief/withdraw.ts';

/** As on a mainnet: 48 hours. */
const PAYEE_DELAY_S = 172_800;

/** A thief with a sender key, then with a merchant's API key, then with the database. The Transfer logs show the losses. */
export const thief: Story = {
  name: 'thief',
  title: 'What a thief takes: from payers who signed a mandate, and from one who approved the open operator',
  payeeDelay: PAYEE_DELAY_S,
  run,
};

async function run(stage: Stage): Promise<StoryResult> {
  const onSale = await putOnSale(stage);
  const ada = await signAtCheckout(
    stage,
    victim(stage, 'payer-1', 'Ada', 'who signed a mandate at the checkout'),
    onSale,
  );
  const bob = await approveByApi(
    stage,
    victim(stage, 'payer-2', 'Bob', 'who approved the open operator by the API'),
    onSale,
  );
  const cleo = victim(stage, 'payer-3', 'Cleo', 'who signed mandates as a live checkout asks for them');
  const live = await signLive(stage, cleo, ada.mandate);

  const robber = new Thief(stage.world);
  const loot = new Loot(stage, robber);
  const act = { stage, loot, thief: robber };
  loot.chapter('The thief has a sender key, and calls the router as the service does', ...NOTES);
  await robBounded(act, ada);
  await robLive(act, cleo, live);
  await robOpen(act, bob);
  await chargeEarly(act, ada);

  loot.chapter("The thief has the merchant's API key");
  await approveYear(stage, bob, stage.shop.operator);
  const payments = await robByApi(act, ada, bob);

  loot.chapter('The thief can write to the database, and lets the service run');
  await approveYear(stage, bob, stage.shop.operator);
  await robByDatabase(act, ada, bob);

  loot.chapter('Ada ends it; the thief still has the sender key');
  await revoke(act, ada);
  await chargeRevoked(act, ada);
  await withdraw(stage, robber.wallet);
  loot.showSums([ada, cleo, bob]);
  expectSums(stage, loot, { bounded: [ada, cleo], open: bob });
  return { subscriptionIds: null, events: await eventsOf(stage, [ada, bob], payments), attempts: loot.attempts };
}

const NOTES = [
  "Payees wait for 48 hours on this router, as on a mainnet. A test key's mandate has no rhythm, because the sandbox moves the",
  "clocks of subscriptions and no chain's: so Cleo has signed mandates of a live checkout, with her wallet and the contract alone.",
];

interface Victims {
  readonly bounded: readonly Victim[];
  readonly open: Victim;
}

/** All of an open allowance is lost, once to each theft; the API key leaves one charge, which the service keeps for the subscription. */
function expectSums({ shop, expect }: Stage, loot: Loot, { bounded, open }: Victims): void {
  const price = priceOf(shop.token.decimals);
  for (const each of bounded) expect.equal(`${each.name} loses nothing`, loot.lost(each), [0n, 0n, 0n]);
  const lost = [price * 11n, price * 11n, price * 12n];
  expect.equal(`${open.name} loses the open allowance`, loot.lost(open), lost);
}

async function eventsOf(
  { shop }: Stage,
  [ada, bob]: readonly [Subscriber, Subscriber],
  { failed, settled }: ThiefPayments,
): Promise<StoryResult['events']> {
  const customerOf = async ({ id }: Subscriber) => (await shop.merchant.api.subscriptions.get(id)).customerId ?? '';
  const active = ['subscription.created', 'payment.succeeded', 'subscription.active'];
  const failures = ['payment.failed', 'payment.failed'];
  const cycles = Array.from({ length: 4 }, () => 'payment.succeeded');
  return {
    [TOKEN_KEY]: ['wallet.updated', 'wallet.updated', 'wallet.updated'],
    [await customerOf(ada)]: ['customer.created'],
    [await customerOf(bob)]: ['customer.created'],
    [ada.id]: [...active, ...cycles, ...failures],
    [bob.id]: [...active, 'payment.succeeded', 'payment.succeeded'],
    [failed]: ['payment.failed'],
    [settled]: ['payment.succeeded'],
  };
}
