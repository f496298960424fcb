import { Wallet } from 'ethers';
import type { Payment } from 'tideline/client';
import { z } from 'zod';
import type { FailureReason, WebhookEvent } from '../../machines/effects.ts';
import { LISTED_EVENTS } from '../../machines/rules/event-kinds.ts';
import { askStaff } from '../../scripts/lib/staff.ts';
import { times } from '../../stage/calendar.ts';
import type { Merchant, Plan } from '../../stage/merchant.ts';
import type { Payer } from '../../stage/payer.ts';
import type { OnSale } from '../../stage/seller.ts';
import type { StagedSubscription } from '../../stage/subscription.ts';
import { TOKEN_KEY } from '../../stage/tokens.ts';
import { until } from '../../stage/until.ts';
import { runOps } from '../scripts/support/run-script.ts';
import { endsWithSoundBooks, useStage } from '../support/stage.ts';
import { openTcp, type TcpServer } from '../webhooks/receiver.ts';
import { type Cause, type ExpectedEvent, everythingDelivered, expectEvents } from './support/expect-events.ts';

/**
 * Every kind of event (reference, section 6: Event kinds; docs/rules.md, "Webhooks"): its cause over HTTP, its data,
 * and that no other event is sent. All merchants here have opted in to the opt-in kinds too. The stories begin on 1
 * February 2028.
 */
const stage = useStage(async () => {
  proxy = await openTcp((socket) => void socket.destroy());
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
  const proxies = Object.fromEntries(names.map((name) => [name, `http://127.0.0.1:${proxy.port}`]));
  return { on: '2028-02-01', env: { TZ: 'Europe/Lisbon', ...proxies } };
});

/** The proxy in the environment of the service. */
let proxy: TcpServer;
afterAll(() => proxy.close());

/** Prepares the merchant, and returns the act to do then. */
type Story = (merchant: Merchant) => Promise<Cause>;

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
  },
  'customer.updated': {
    'by PATCH /customers/{id}, and not by one that changes nothing': async (merchant) => {
      const { customerId, wallet } = await merchant.createPayer({ has: '0.00' });
      const data = { customerId, wallets: [{ chainFamily: 'evm', address: wallet.address }] };
      return {
        act: () => twice(() => merchant.api.customers.update(customerId, { name: 'Ada', email: 'ada@example.com' })),
        events: () => [{ event: 'customer.updated', data }],
      };
    },
  },
  'customer.deleted': {
    'by DELETE /customers/{id}, with the end of what it had': async (merchant) => {
      const { ada, club, data } = await subscribed(merchant);
      return {
        act: () => merchant.api.customers.delete(ada.customerId),
        events: () => [
          { event: 'customer.deleted', data: { customerId: ada.customerId } },
          { event: 'subscription.canceled', data: { subscriptionId: club.id, ...data } },
        ],
      };
    },
  },
  'subscription.created': {
    'by POST /subscriptions, before any authorization; not by a replay': async (merchant) => {
      const { customerId } = await merchant.createPayer({ has: '100.00' });
      const { offerId, priceId } = await merchant.createOffer(MONTHLY);
      const order = { priceId, customerId, idempotencyKey: 'an order' };
      const made = later(() => twice(() => merchant.api.subscriptions.create(order)));
      const data = async () => ({ subscriptionId: (await made.result()).id, offerId, priceId, status: 'pending' });
      return { act: made.act, events: async () => [{ event: 'subscription.created', data: await data() }] };
    },
  },
  'subscription.active': {
    'when the first charge has settled': async (merchant) => {
      const { ada, club, data } = await subscribed(merchant);
      return {
        act: async () => {
          await ada.approve('100.00');
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
    'by the merchant, without a reason': async (merchant) => {
      const { club, data } = await active(merchant);
      return {
        act: () => merchant.api.subscriptions.cancel(club.id),
        events: () => [{ event: 'subscription.canceled', data: { subscriptionId: club.id, ...data } }],
      };
    },
  },
  'payment.succeeded': {
    'of a cycle, when it has settled': async (merchant) => {
      const { club } = await active(merchant);
      return { act: () => club.advanceTo('2028-03-05'), events: () => paid(club) };
    },
    'of a one-off payment, once however often it is asked for': async (merchant) => {
      const made = await oneOff(merchant);
      return { act: () => twice(made.act), events: async () => settled(await made.result()) };
    },
  },
  'payment.failed': {
    'of a cycle, with its reason': async (merchant) => {
      const { ada, club, data } = await active(merchant);
      await ada.freeze();
      return {
        act: () => club.advanceTo('2028-03-05'),
        events: async () => [
          await failed(club, 'pull_reverted'),
          { event: 'subscription.past_due', data: { subscriptionId: club.id, ...data } },
        ],
      };
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
  },
  'subscription.trialing': {
    'when the payer has approved during the trial, which charges nothing': async (merchant) => {
      const { ada, club, data } = await subscribed(merchant, { ...MONTHLY, trialDays: 7 });
      return {
        act: () => ada.approve('100.00'),
        events: () => [{ event: 'subscription.trialing', data: { subscriptionId: club.id, ...data } }],
      };
    },
  },
  'subscription.past_due': {
    'when a renewal has failed': async (merchant) => {
      const { ada, club, data } = await active(merchant);
      await withNothingLeft(ada, club);
      return {
        act: () => club.advanceTo('2028-03-05'),
        events: async () => [
          await failed(club, 'insufficient_balance'),
          { event: 'subscription.past_due', data: { subscriptionId: club.id, ...data } },
        ],
      };
    },
  },
  'subscription.recovered': {
    'when what was past due is paid': async (merchant) => {
      const { ada, club, data } = await active(merchant);
      await withNothingLeft(ada, club);
      await club.advanceTo('2028-03-05');
      await club.expectStatus('past_due');
      return {
        act: async () => {
          await ada.receive('50.00');
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
    'at each check before a renewal that finds too little: 7, 3 and 1 days ahead': async (merchant) => {
      const { ada, club, data } = await active(merchant);
      const { currentPeriodEnd: chargeAt } = await club.view();
      await ada.approve('1.00');
      const reason = 'insufficient_allowance';
      const atRisk = { event: 'subscription.at_risk', data: { subscriptionId: club.id, ...data, reason, chargeAt } };
      return { act: () => club.advanceTo('2028-03-04'), events: () => times(3, atRisk) };
    },
  },
  'subscription.migrated': {
    'when other terms take effect, at the boundary, before they are charged': async (merchant) => {
      const { ada, club, onSale } = await active(merchant);
      const { priceId } = await merchant.addPrice(onSale, { price: '20.00', every: 'month' });
      const { authorizationUrl } = await merchant.api.subscriptions.migrate(club.id, { priceId });
      await ada.sign(authorizationUrl);
      await ada.approve('1000.00');
      await ada.expectAccepted(authorizationUrl);
      return {
        act: () => club.advanceTo('2028-03-05'),
        events: async () => [
          { event: 'subscription.migrated', data: { subscriptionId: club.id, offerId: onSale.offerId, priceId } },
          ...(await paid(club)),
        ],
      };
    },
  },
  'subscription.blocked': {
    'when there is nowhere to pay out to, once': async (merchant) => {
      const { club, data } = await active(merchant);
      const { id: merchantId, payoutWallet: receiverWallet } = merchant;
      const path = `/merchants/${merchantId}/wallets`;
      const [reason, wallet] = ['a story', z.object({ id: z.string() })];
      const set = { mode: 'test', tokenKey: TOKEN_KEY, receiverWallet, reason };
      const { id } = await askStaff(stage().staff(), 'PUT', path, wallet, set);
      await askStaff(stage().staff(), 'DELETE', `${path}/${id}`, wallet, { reason });
      return {
        act: async () => {
          await club.advanceTo('2028-03-05');
          await until(
            'it says why it is not charged',
            () => merchant.api.subscriptions.get(club.id),
            ({ blockedReason }) => blockedReason === 'no_payout_wallet',
          );
        },
        events: () => [
          { event: 'subscription.blocked', data: { subscriptionId: club.id, ...data, reason: 'no_payout_wallet' } },
        ],
      };
    },
  },
  'subscription.quantity_changed': {
    'by POST /subscriptions/{id}/quantity, and not for the quantity that it has': async (merchant) => {
      const plan = { ...MONTHLY, model: 'per_unit', maxQuantity: 5 } as const;
      const { club, data } = await active(merchant, plan);
      const changed = { subscriptionId: club.id, ...data, previousQuantity: 1, quantity: 2 };
      return {
        act: () => twice(() => merchant.api.subscriptions.changeQuantity(club.id, { quantity: 2 })),
        events: () => [{ event: 'subscription.quantity_changed', data: changed }],
      };
    },
  },
  'subscription.usage_threshold': {
    'once for each level of the cap, by POST /subscriptions/{id}/usage; not by a replay': async (merchant) => {
      const plan = { price: '1.00', every: 'month', model: 'metered', capAmount: '10.00' } as const;
      const { club, data } = await subscribed(merchant, plan);
      const told = (level: number) => ({ subscriptionId: club.id, ...data, level });
      const use = (quantity: number, idempotencyKey: string) =>
        merchant.api.subscriptions.recordUsage(club.id, { quantity, idempotencyKey });
      return {
        act: async () => {
          await use(7, 'below');
          await twice(() => use(1, 'at 80'));
          await use(1, 'above it');
          await use(9, 'beyond the cap');
        },
        events: () => [80, 100].map((level) => ({ event: 'subscription.usage_threshold', data: told(level) })),
      };
    },
  },
  'subscription.paused': {
    'by POST /subscriptions/{id}/pause, once for one end of the pause': async (merchant) => {
      const { club, data } = await active(merchant);
      const paused = { subscriptionId: club.id, ...data, pausedUntil: null };
      return {
        act: () => twice(() => merchant.api.subscriptions.pause(club.id, {})),
        events: () => [{ event: 'subscription.paused', data: paused }],
      };
    },
  },
  'subscription.resumed': {
    'by itself, at the end of the pause': async (merchant) => {
      const { club, data } = await active(merchant);
      await merchant.api.subscriptions.pause(club.id, { until: '2028-02-15T00:00:00.000Z' });
      const resumed = async () => ({ ...data, currentPeriodEnd: (await club.view()).currentPeriodEnd });
      return {
        act: () => club.advanceTo('2028-02-16'),
        events: async () => [
          { event: 'subscription.resumed', data: { subscriptionId: club.id, ...(await resumed()) } },
        ],
      };
    },
  },
  'payment.pulled': {
    'when a charge is in a block, before it is final': async (merchant) => {
      const made = await oneOff(merchant);
      return { act: made.act, events: async () => settled(await made.result()) };
    },
  },
  'payment.refunded': {
    'when the transfer of a part is final, of a one-off payment': async (merchant) => {
      const { act, result } = await oneOff(merchant);
      await act();
      const { id: paymentId } = await result();
      const made = later(() => merchant.refund(paymentId, '1.25'));
      const events = async () => {
        const refundId = (await made.result()).id;
        return [{ event: 'payment.refunded', data: { source: 'one_time', paymentId, refundId } }];
      };
      return { act: made.act, events };
    },
    'of a cycle, with its subscription': async (merchant) => {
      const { club } = await active(merchant);
      const data = await lastInvoice(club);
      const [payment] = await club.payments();
      const made = later(() => merchant.refund(payment?.id ?? ''));
      const events = async () => [{ event: 'payment.refunded', data: { ...data, refundId: (await made.result()).id } }];
      return { act: made.act, events };
    },
  },
  // It needs a reorganization, which would disturb the others: test/api/payments/refunds.test.ts.
  'payment.refund_reversed': {},
};

const ROWS = Object.entries(STORIES).flatMap(([event, stories]) =>
  Object.entries(stories).map(([title, story]) => [event, title, story] as const),
);

const opened: Merchant[] = [];

async function createMerchant(): Promise<Merchant> {
  const merchant = await stage().createMerchant();
  await merchant.api.webhooks.setEndpoint({ extraEvents: true });
  opened.push(merchant);
  return merchant;
}

describe('an event is sent', () => {
  it.concurrent.each(ROWS)('%s: %s', async (_event, _title, story) => {
    const merchant = await createMerchant();
    await expectEvents(merchant, await story(merchant));
  });

  it('payment.canceled: by POST /payments/{id}/cancel of a pending payment', async () => {
    const merchant = await createMerchant();
    const { act } = await oneOff(merchant);
    const canceled = await stage().chain.withoutGas(async () => {
      const waiting = act();
      const { payments } = await until(
        'one payment is pending',
        async () => merchant.api.payments.list({ status: 'pending' }),
        (page) => page.payments.length === 1,
      );
      const paymentId = payments[0]?.id ?? '';
      await expectEvents(merchant, {
        act: () => merchant.api.payments.cancel(paymentId),
        events: () => [{ event: 'payment.canceled', data: { paymentId } }],
      });
      await waiting;
      return paymentId;
    });
    expect((await merchant.api.payments.get(canceled)).status).toBe('canceled');
  });
});

describe('opt-in events', () => {
  it('are sent between opt-in and opt-out alone, and the numbers have no gap', async () => {
    const merchant = await stage().createMerchant();
    const { ada, club } = await active(merchant);
    const before = ['subscription.created', 'payment.succeeded', 'subscription.active'];
    await club.expectEvents(before);
    const setExtraEvents = (extraEvents: boolean) => merchant.api.webhooks.setEndpoint({ extraEvents });
    expect(await setExtraEvents(true)).toMatchObject({ extraEvents: true, url: merchant.receiver.url });
    await withNothingLeft(ada, club);
    await club.advanceTo('2028-03-05');
    await ada.receive('50.00');
    await club.expectStatus('active', { paid: 2 });
    const paidWithExtra = ['payment.pulled', 'payment.succeeded', 'subscription.recovered'];
    const failure = ['payment.failed: insufficient_balance', 'subscription.past_due'];
    const during = [...before, ...failure, ...paidWithExtra];
    await club.expectEvents(during);
    await setExtraEvents(false);
    await club.advanceTo('2028-04-05');
    await club.expectEvents([...during, 'payment.succeeded']);
  });

  it('like all others, ignore every proxy in the environment of the service', () => {
    expect(proxy.connections()).toBe(0);
  });
});

describe('no other event is sent', () => {
  it('by these stories, or by a replay of all journals', async () => {
    const end = await runOps('replay', ['--all', '--json'], { DATA_DIR: stage().dataDir });
    expect(end.exitCode).toBe(0);
    expect(JSON.parse(end.stdout)).toMatchObject({ differences: [] });
    for (const merchant of opened) await everythingDelivered(merchant);
    const kinds = new Set<string>(opened.flatMap((merchant) => merchant.receiver.events().map(({ event }) => event)));
    expect(kinds).toEqual(new Set(Object.keys(STORIES).filter((event) => event !== 'payment.refund_reversed')));
    expect(LISTED_EVENTS.filter((listed) => !kinds.has(listed))).toEqual([]);
  });

  endsWithSoundBooks(stage);
});

interface Member {
  readonly ada: Payer;
  readonly club: StagedSubscription;
  readonly onSale: OnSale;
  /** The fields in every event of the subscription. */
  readonly data: { readonly offerId: string; readonly priceId: string };
}

/** Ada, with 100.00, has subscribed on 5 February 2028 without an approval. */
async function subscribed(merchant: Merchant, plan = MONTHLY): Promise<Member> {
  const onSale = await merchant.createOffer(plan);
  const ada = await merchant.createPayer({ has: '100.00' });
  const club = await ada.subscribe(onSale, { on: '2028-02-05' });
  return { ada, club, onSale, data: { offerId: onSale.offerId, priceId: onSale.priceId } };
}

/** She has approved, and has paid for the month until 5 March. */
async function active(merchant: Merchant, plan = MONTHLY): Promise<Member> {
  const member = await subscribed(merchant, plan);
  await member.ada.approve('100.00');
  await member.club.expectStatus('active', { paid: 1 });
  return member;
}

/** All is well at the checks before; then everything is spent. */
async function withNothingLeft(ada: Payer, club: StagedSubscription): Promise<void> {
  await club.advanceTo('2028-03-04');
  await ada.spendEverything();
}

async function lastInvoice(club: StagedSubscription): Promise<ExpectedEvent['data']> {
  const { lastInvoice: invoice } = await club.view();
  return {
    source: 'subscription',
    subscriptionId: club.id,
    invoiceId: (invoice?.id ?? '').replace('inv_', 'sub-pay-'),
  };
}

async function paid(club: StagedSubscription): Promise<ExpectedEvent[]> {
  const data = await lastInvoice(club);
  return [
    { event: 'payment.pulled', data },
    { event: 'payment.succeeded', data },
  ];
}

async function failed(club: StagedSubscription, reason: FailureReason): Promise<ExpectedEvent> {
  return { event: 'payment.failed', data: { ...(await lastInvoice(club)), reason } };
}

/** A payment of 5.00, which its payer allows, under one key. */
async function oneOff(merchant: Merchant) {
  const ada = await merchant.createPayer({ has: '100.00' });
  await ada.approve('5.00');
  const fromWallet = ada.wallet.address;
  const payment = {
    toWallet: merchant.payoutWallet,
    fromWallet,
    amount: '5.00',
    tokenKey: TOKEN_KEY,
    idempotencyKey: `of ${fromWallet}`,
  };
  return later(() => merchant.api.payments.create(payment));
}

function settled({ id: paymentId }: Pick<Payment, 'id'>): ExpectedEvent[] {
  return [
    { event: 'payment.pulled', data: { source: 'one_time', paymentId } },
    { event: 'payment.succeeded', data: { source: 'one_time', paymentId } },
  ];
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
