import type { Merchant } from '../merchant.ts';
import { FIRST_CHARGE, type Story } from '../story.ts';
import { TOKEN_KEY } from '../tokens.ts';
import { robByApi, type ThiefPayments } from './thief/api-key.ts';
import {
  approveByApi,
  approveYear,
  PRICE,
  PRICE_UNITS,
  type Subscriber,
  signAtCheckout,
  victim,
} from './thief/cast.ts';
import { robByDatabase } from './thief/database-writes.ts';
import { signLive } from './thief/live-mandates.ts';
import { Loot } from './thief/loot.ts';
import { chargeEarly, chargeRevoked, revoke, robBounded, robLive, robOpen } from './thief/sender-key.ts';
import { Thief } from './thief/thief.ts';
import { withdraw } from './thief/withdraw.ts';

/** As on a mainnet: 48 hours. */
const PAYEE_DELAY_S = 172_800;

/** A thief with a sender key, then a merchant's API key, then the database. The Transfer logs show the losses. */
export const thief: Story = {
  name: 'thief',
  title: 'What a thief takes: from payers who signed a mandate, and from one who approved the open operator',
  hasThief: true,
  env: { LOCAL_PAYEE_DELAY: String(PAYEE_DELAY_S) },
  run: async (stage, attempts) => {
    const merchant = await stage.createMerchant();
    const scene = { stage, merchant };
    const onSale = await merchant.createOffer({ price: PRICE, every: 'month' });
    const ada = await signAtCheckout(
      scene,
      victim(scene, 'payer-1', 'Ada', 'who signed a mandate at the checkout'),
      onSale,
    );
    const bob = await approveByApi(
      scene,
      victim(scene, 'payer-2', 'Bob', 'who approved the open operator by the API'),
      onSale,
    );
    const cleo = victim(scene, 'payer-3', 'Cleo', 'who signed mandates as a live checkout asks for them');
    const live = await signLive(scene, cleo, ada.mandate);

    const robber = new Thief(stage.chain);
    const loot = new Loot(stage, robber, attempts);
    const act = { scene, loot, thief: robber };
    loot.chapter('The thief has a sender key, and calls the router as the service does', ...NOTES);
    await robBounded(act, ada);
    await robLive(act, cleo, live);
    await robOpen(act, bob);
    await chargeEarly(act, ada);

    loot.chapter("The thief has the merchant's API key");
    await approveYear(scene, bob, merchant.operator);
    const payments = await robByApi(act, ada, bob);

    loot.chapter('The thief can write to the database, and lets the service run');
    await approveYear(scene, bob, merchant.operator);
    await robByDatabase(act, ada, bob);

    loot.chapter('Ada ends it; the thief still has the sender key');
    await revoke(act, ada);
    await chargeRevoked(act, ada);
    await withdraw(scene, robber.wallet);

    loot.showSums([ada, cleo, bob]);
    for (const each of [ada, cleo]) stage.expect.equal(`${each.name} loses nothing`, loot.lost(each), [0n, 0n, 0n]);
    // Once to each theft. The API key leaves one charge, which the service keeps for the subscription.
    const lost = [PRICE_UNITS * 11n, PRICE_UNITS * 11n, PRICE_UNITS * 12n];
    stage.expect.equal('Bob loses the open allowance', loot.lost(bob), lost);
    await expectAllEvents(merchant, [ada, bob], payments);
  },
};

const NOTES = [
  "Payees wait for 48 hours on this router, as on a mainnet. A test key's mandate has no rhythm, because the sandbox moves the",
  "clocks of subscriptions and no chain's: so Cleo has signed mandates of a live checkout, with her wallet and the contract alone.",
];

async function expectAllEvents(
  merchant: Merchant,
  [ada, bob]: readonly [Subscriber, Subscriber],
  { failed, settled }: ThiefPayments,
): Promise<void> {
  const customerOf = async ({ id }: Subscriber) => (await merchant.api.subscriptions.get(id)).customerId ?? '';
  const [succeeded, refused] = ['payment.succeeded', 'payment.failed: insufficient_allowance'];
  const events = {
    [TOKEN_KEY]: ['wallet.updated', 'wallet.updated', 'wallet.updated'],
    [await customerOf(ada)]: ['customer.created'],
    [await customerOf(bob)]: ['customer.created'],
    [ada.id]: [
      ...FIRST_CHARGE,
      succeeded,
      succeeded,
      succeeded,
      succeeded,
      ...Array(2).fill('payment.failed: pull_reverted'),
    ],
    [bob.id]: [...FIRST_CHARGE, succeeded, succeeded],
    [failed]: [refused],
    [settled]: [succeeded],
  };
  for (const [resource, expected] of Object.entries(events)) await merchant.expectEvents(resource, expected);
}
