import { Wallet } from 'ethers';
import type { Payment } from 'tideline/client';
import { z } from 'zod';
import { type FailureReason, LISTED_EVENTS, type WebhookEvent } from '../../machines/effects.ts';
import { devnetFacts, walletNamed } from '../../scripts/lib/devnet-facts.ts';
import { requestJson } from '../../scripts/lib/json-request.ts';
import { TOKEN_KEY } from '../../stage/sale.ts';
import { until } from '../../stage/until.ts';
import { withoutGas } from '../../stage/without-gas.ts';
import { runOps } from '../scripts/support/run-script.ts';
import { type Cause, type ExpectedEvent, everythingDelivered, expectEvents } from './support/expect-events.ts';
import type { Payer } from './support/payer.ts';
import type { OnSale, Plan, Shop } from './support/shop.ts';
import type { Subscribed } from './support/subscribed.ts';
import { endsWithSoundBooks, storyTown } from './support/town.ts';

/**
 * Every kind of event (reference, section 6: Event kinds; docs/rules.md, "Webhooks"): its cause over HTTP, its data, and that
 * no other event is sent. All merchants here have opted in to the opt-in kinds too. The shops open on 1 February 2028.
 */
const town = storyTown({ on: '2028-02-01', timezone: 'Europe/Lisbon' });

/** Prepares the shop, and returns the act to do then. */
type Story = (shop: Shop) => Promise<Cause>;

const MONTHLY: Plan = { price: '10.00', every: 'month' };
const OTHER_TOKEN = 'usdt-ethereum';

const STORIES: { readonly [E in WebhookEvent]: Readonly<Record<string, Story>> } = {
  'customer.created': {
    'by POST /customers, with its wallets, once however often it is asked for': async ({ api }) => {
      const { address } = Wallet.createRandom();
      const wallets = [{ chainFamily: 'evm' as const, address: address.toLowerCase() }];
      const made = later(() => twice(() => api.customers.create({ wallets, idempotencyKey: 'a customer' })));
      const data = async () => ({ customerId: (await made.result()).id, wallets: [{ chainFamily: 'evm', address }] });
      return { act: made.act, events: async () => [{ event: 'customer.created', data: await data() }] };
    },
    'without a wallet': async ({ api }) => {
      const made = later(() => api.customers.create({}));
      const data = async () => ({ customerId: (await made.result()).id, wallets: [] });
      return { act: made.act, events: async () => [{ event: 'customer.created', data: await data() }] };
    },
  },
  'customer.updated': {
    'by PATCH /customers/{id}, and not by one that changes nothing': async (shop) => {
      const { customerId, wallet } = await shop.customer({ has: '0.00' });
      const data = { customerId, wallets: [{ chainFamily: 'evm', address: wallet.address }] };
      return {
        act: () => twice(() => shop.api.customers.update(customerId, { name: 'Ada', email: 'ada@example.com' })),
        events: () => [{ event: 'customer.updated', data }],
      };
    },
  },
  'customer.deleted': {
    'by DELETE /customers/{id}, with the end of what it had': async (shop) => {
      const { ada, club, data } = await subscribed(shop);
      return {
        act: () => shop.api.customers.delete(ada.customerId),
        events: () => [
          { event: 'customer.deleted', data: { customerId: ada.customerId } },
          { event: 'subscription.canceled', data: { subscriptionId: club.id, ...data } },
        ],
      };
    },
  },
  'subscription.created': {
    'by POST /subscriptions, before any authorization; not by a replay': async (shop) => {
      const { customerId } = await shop.customer({ has: '100.00' });
      const { offerId, priceId } = await shop.sells(MONTHLY);
      const order = { priceId, customerId, idempotencyKey: 'an order' };
      const made = later(() => twice(() => shop.api.subscriptions.create(order)));
      const data = async () => ({ subscriptionId: (await made.result()).id, offerId, priceId, status: 'pending' });
      return { act: made.act, events: async () => [{ event: 'subscription.created', data: await data() }] };
    },
  },
  'subscription.active': {
    'when the first charge has settled': async (shop) => {
      const { ada, club, data } = await subscribed(shop);
      return {
        act: async () => {
          await ada.approves('100.00');
          await club.expectStatus('active', { paid: 1 });
        },
        events: async () => [
          ...(await paid(club)),
          { event: 'subscription.active', data: { subscriptionId: club.id, ...data } },
        ],
      };
    },
  },
  'subscription.canceled': {
    'by the merchant, without a reason': async (shop) => {
      const { club, data } = await active(shop);
      return {
        act: () => shop.api.subscriptions.cancel(club.id),
        events: () => [{ event: 'subscription.canceled', data: { subscriptionId: club.id, ...data } }],
      };
    },
    'when all cycles are paid and the last period has ended': async (shop) => {
      const { club, data } = await active(shop, { ...MONTHLY, maxCycles: 1 });
      const reason = 'max_cycles_reached';
      return {
        act: () => club.on('2028-03-05'),
        events: () => [{ event: 'subscription.canceled', data: { subscriptionId: club.id, ...data, reason } }],
      };
    },
    'when so many charges have failed as the price allows': async (shop) => {
      const { ada, club, data } = await active(shop, { ...MONTHLY, maxFailedCycles: 1 });
      await withNothingLeft(ada, club);
      const reason = 'max_failed_cycles_reached';
      return {
        act: () => club.on('2028-03-05'),
        events: async () => [
          await failed(club, 'insufficient_balance'),
          { event: 'subscription.canceled', data: { subscriptionId: club.id, ...data, reason } },
        ],
      };
    },
  },
  'payment.succeeded': {
    'of a cycle, when it has settled': async (shop) => {
      const { club } = await active(shop);
      return { act: () => club.on('2028-03-05'), events: () => paid(club) };
    },
    'of a one-off payment, once however often it is asked for': async (shop) => {
      const made = await oneOff(shop, { allows: '5.00' });
      return { act: () => twice(made.act), events: async () => settled(await made.result()) };
    },
  },
  'payment.failed': {
    'of a cycle, with its reason': async (shop) => {
      const { ada, club, data } = await active(shop);
      await ada.isFrozen();
      return {
        act: () => club.on('2028-03-05'),
        events: async () => [
          await failed(club, 'pull_reverted'),
          { event: 'subscription.past_due', data: { subscriptionId: club.id, ...data } },
        ],
      };
    },
    'of a one-off payment whose payer allows less': async (shop) => refused(shop, { allows: '1.00' }),
    'of a one-off payment whose payer has less': async (shop) => refused(shop, { allows: '5.00', has: '1.00' }),
    'of a one-off payment that cannot be forwarded': async (shop) => {
      const { address: toWallet } = walletNamed(await devnetFacts(town()), 'refuses');
      return refused(shop, { allows: '5.00', toWallet });
    },
  },
  // Its story delays every charge of the service, so it runs after the others.
  'payment.canceled': {},
  'wallet.updated': {
    'by POST /wallets: registered, changed, and not when nothing changes': async ({ api }) => {
      const [first, second] = [Wallet.createRandom().address, Wallet.createRandom().address];
      const change = (previousWallet: string | null, newWallet: string): ExpectedEvent => ({
        event: 'wallet.updated',
        data: { tokenKey: OTHER_TOKEN, previousWallet, newWallet, source: 'api' },
      });
      return {
        act: async () => {
          for (const receiverWallet of [first, first, second, second.toLowerCase()]) {
            await api.wallets.register({ tokenKey: OTHER_TOKEN, receiverWallet });
          }
        },
        events: () => [change(null, first), change(first, second)],
      };
    },
    'by staff: changed and removed, from the dashboard': async (shop) => {
      const { address } = Wallet.createRandom();
      const change = (previousWallet: string, newWallet: string | null): ExpectedEvent => ({
        event: 'wallet.updated',
        data: { tokenKey: TOKEN_KEY, previousWallet, newWallet, source: 'dashboard' },
      });
      return {
        act: async () => {
          const body = { mode: 'test', tokenKey: TOKEN_KEY, receiverWallet: address, reason: 'a story' };
          const { id } = await byStaff(shop, 'PUT', '/wallets', body);
          await byStaff(shop, 'DELETE', `/wallets/${id}`, { reason: 'a story' });
        },
        events: () => [change(shop.till, address), change(address, null)],
      };
    },
  },
  'subscription.past_due': {
    'when a renewal has failed': async (shop) => {
      const { ada, club, data } = await active(shop);
      await withNothingLeft(ada, club);
      return {
        act: () => club.on('2028-03-05'),
        events: async () => [
          await failed(club, 'insufficient_balance'),
          { event: 'subscription.past_due', data: { subscriptionId: club.id, ...data } },
        ],
      };
    },
  },
  'subscription.recovered': {
    'when what was past due is paid': async (shop) => {
      const { ada, club, data } = await active(shop);
      await withNothingLeft(ada, club);
      await club.on('2028-03-05');
      await club.expectStatus('past_due');
      return {
        act: async () => {
          await ada.receives('50.00');
          await club.expectStatus('active', { paid: 2 });
        },
        events: async () => [
          ...(await paid(club)),
          { event: 'subscription.recovered', data: { subscriptionId: club.id, ...data } },
        ],
      };
    },
  },
  'subscription.at_risk': {
    'when a check before a renewal finds too little': async (shop) => {
      const { ada, club, data } = await active(shop);
      const { currentPeriodEnd: chargeAt } = await club.view();
      await ada.approves('1.00');
      const reason = 'insufficient_allowance';
      return {
        act: () => club.on('2028-02-28'),
        events: () => [{ event: 'subscription.at_risk', data: { subscriptionId: club.id, ...data, reason, chargeAt } }],
      };
    },
  },
  'subscription.migrated': {
    'when other terms take effect, at the boundary, before they are charged': async (shop) => {
      const { ada, club, onSale } = await active(shop);
      const { priceId } = await shop.alsoSells(onSale, { price: '20.00', every: 'month' });
      const { authorizationUrl } = await shop.api.subscriptions.migrate(club.id, { priceId });
      await ada.signs(authorizationUrl);
      await ada.approves('1000.00');
      await club.expectMigrationCovered();
      return {
        act: () => club.on('2028-03-05'),
        events: async () => [
          {
            event: 'subscription.migrated',
            data: { subscriptionId: club.id, offerId: onSale.offerId, priceId },
          },
          ...(await paid(club)),
        ],
      };
    },
  },
  'subscription.blocked': {
    'when there is nowhere to pay out to, once': async (shop) => {
      const { club, data } = await active(shop);
      const { id } = await byStaff(shop, 'PUT', '/wallets', {
        mode: 'test',
        tokenKey: TOKEN_KEY,
        receiverWallet: shop.till,
        reason: 'a story',
      });
      await byStaff(shop, 'DELETE', `/wallets/${id}`, { reason: 'a story' });
      return {
        act: async () => {
          await club.on('2028-03-05');
          await until(
            'it says why it is not charged',
            () => shop.api.subscriptions.get(club.id),
            ({ blockedReason }) => blockedReason === 'no_payout_wallet',
          );
        },
        events: () => [
          { event: 'subscription.blocked', data: { subscriptionId: club.id, ...data, reason: 'no_payout_wallet' } },
        ],
      };
    },
  },
  'payment.pulled': {
    'when a charge is in a block, before it is final': async (shop) => {
      const made = await oneOff(shop, { allows: '5.00' });
      return { act: made.act, events: async () => settled(await made.result()) };
    },
  },
};

const ROWS = Object.entries(STORIES).flatMap(([event, stories]) =>
  Object.entries(stories).map(([title, story]) => [event, title, story] as const),
);

const opened: Shop[] = [];

async function openShop(): Promise<Shop> {
  const shop = await town().openShop();
  await shop.api.webhooks.setEndpoint({ extraEvents: true });
  opened.push(shop);
  return shop;
}

describe('an event is sent', () => {
  it.concurrent.each(ROWS)('%s: %s', async (_event, _title, story) => {
    const shop = await openShop();
    await expectEvents(shop, await story(shop));
  });

  it('payment.canceled: by POST /payments/{id}/cancel of a pending payment', async () => {
    const shop = await openShop();
    const facts = await devnetFacts(town());
    const { act } = await oneOff(shop, { allows: '5.00' });
    const canceled = await withoutGas(facts, async () => {
      const waiting = act();
      const { payments } = await until(
        'one payment is pending',
        async () => shop.api.payments.list({ status: 'pending' }),
        (page) => page.payments.length === 1,
      );
      const paymentId = payments[0]?.id ?? '';
      await expectEvents(shop, {
        act: () => shop.api.payments.cancel(paymentId),
        events: () => [{ event: 'payment.canceled', data: { paymentId } }],
      });
      await waiting;
      return paymentId;
    });
    expect((await shop.api.payments.get(canceled)).status).toBe('canceled');
  });
});

describe('no other event is sent', () => {
  it('by these stories, or by a replay of all journals', async () => {
    const end = await runOps('replay', ['--all', '--json'], { DATA_DIR: town().dataDir });
    expect(end.exitCode).toBe(0);
    expect(JSON.parse(end.stdout)).toMatchObject({ differences: [] });
    for (const shop of opened) await everythingDelivered(shop);
    const kinds = new Set<string>(opened.flatMap((shop) => shop.inbox.reported().map(({ event }) => event)));
    expect(kinds).toEqual(new Set(Object.keys(STORIES)));
    expect(LISTED_EVENTS.filter((listed) => !kinds.has(listed))).toEqual([]);
  });

  endsWithSoundBooks(town);
});

interface Member {
  readonly ada: Payer;
  readonly club: Subscribed;
  readonly onSale: OnSale;
  /** The fields in every event of the subscription. */
  readonly data: { readonly offerId: string; readonly priceId: string };
}

/** Ada, with 100.00, has subscribed on 5 February 2028 without an approval. */
async function subscribed(shop: Shop, plan = MONTHLY): Promise<Member> {
  const onSale = await shop.sells(plan);
  const ada = await shop.customer({ has: '100.00' });
  const club = await ada.subscribes(onSale, { on: '2028-02-05' });
  return { ada, club, onSale, data: { offerId: onSale.offerId, priceId: onSale.priceId } };
}

/** She has approved, and has paid for the month until 5 March. */
async function active(shop: Shop, plan = MONTHLY): Promise<Member> {
  const member = await subscribed(shop, plan);
  await member.ada.approves('100.00');
  await member.club.expectStatus('active', { paid: 1 });
  return member;
}

/** All is well at the checks before; then everything is spent. */
async function withNothingLeft(ada: Payer, club: Subscribed): Promise<void> {
  await club.on('2028-03-04');
  await ada.spendsEverything();
}

async function lastInvoice(club: Subscribed): Promise<{ subscriptionId: string; invoiceId: string }> {
  const { lastInvoice: invoice } = await club.view();
  return { subscriptionId: club.id, invoiceId: (invoice?.id ?? '').replace('inv_', 'sub-pay-') };
}

async function paid(club: Subscribed): Promise<ExpectedEvent[]> {
  const data = await lastInvoice(club);
  return [
    { event: 'payment.pulled', data },
    { event: 'payment.succeeded', data },
  ];
}

async function failed(club: Subscribed, reason: FailureReason): Promise<ExpectedEvent> {
  return { event: 'payment.failed', data: { ...(await lastInvoice(club)), reason } };
}

interface OneOff {
  readonly allows: string;
  readonly has?: string;
  readonly toWallet?: string;
}

/** A payment of 5.00, under one key. */
async function oneOff(shop: Shop, { allows, has = '100.00', toWallet = shop.till }: OneOff) {
  const ada = await shop.customer({ has });
  await ada.approves(allows);
  const fromWallet = ada.wallet.address;
  const payment = { toWallet, fromWallet, amount: '5.00', tokenKey: TOKEN_KEY, idempotencyKey: `of ${fromWallet}` };
  return later(() => shop.api.payments.create(payment));
}

function settled({ id: paymentId }: Pick<Payment, 'id'>): ExpectedEvent[] {
  return [
    { event: 'payment.pulled', data: { paymentId } },
    { event: 'payment.succeeded', data: { paymentId } },
  ];
}

async function refused(shop: Shop, how: OneOff): Promise<Cause> {
  const { act, result } = await oneOff(shop, how);
  const reasonOf = ({ allows, has, toWallet }: OneOff): FailureReason => {
    if (toWallet !== undefined) return 'forward_reverted';
    return has !== undefined && Number(has) < Number(allows) ? 'insufficient_balance' : 'insufficient_allowance';
  };
  return {
    act,
    events: async () => [{ event: 'payment.failed', data: { paymentId: (await result()).id, reason: reasonOf(how) } }],
  };
}

/** A call that is made later, and the result of its last run. */
function later<T>(work: () => PromiseLike<T>) {
  const done: T[] = [];
  return {
    act: async (): Promise<T> => {
      const result = await work();
      done.push(result);
      return result;
    },
    result: async (): Promise<T> => {
      const last = done.at(-1);
      if (last === undefined) throw new Error('it has not been done yet');
      return last;
    },
  };
}

/** Calls it twice, like a client that has lost the answer. */
async function twice<T>(work: () => PromiseLike<T>): Promise<T> {
  await work();
  return work();
}

const withId = z.object({ id: z.string() });

async function byStaff({ id, town: of }: Shop, method: 'PUT' | 'DELETE', path: string, body: object) {
  const { url, token } = of.staff();
  const headers = { Authorization: `Bearer ${token}` };
  const place = `${url}/staff/api/merchants/${id}${path}`;
  return requestJson({ method, url: place, headers, body, schema: withId, expected: [200, 201] });
}
