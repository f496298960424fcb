import { type Effect, effect } from '../../machines/effects.ts';
import { eventComponent } from '../../src/api/openapi/components.ts';
import { deliveredData } from '../../src/webhooks/events.ts';
import { CANCEL as CANCEL_PAYMENT, TestPayment } from '../machines/support/payment.ts';
import { active, CANCEL, COVERED, charging, TestSubscription } from '../machines/support/subscription.ts';
import { ALICE, BOB, offerBody } from '../support/bodies.ts';
import { idOf, PUBLIC_URL, startHttp } from '../support/http.ts';
import { publishedAt } from '../support/published.ts';

const published = publishedAt(PUBLIC_URL);

type Emitted = Extract<Effect, { type: 'webhook.emit' }>;

/** The events of a test's actor, its short ids as long as real ones. */
function emittedBy({ asked }: { readonly asked: readonly Effect[] }): Emitted[] {
  const emitted = asked.filter((one): one is Emitted => one.type === 'webhook.emit');
  return JSON.parse(
    JSON.stringify(emitted).replaceAll(/\b(sub-pay-|sub_|pay_|offer_|price_)1"/g, `$1${'0'.repeat(25)}1"`),
  );
}

function faultsOf(emitted: readonly Pick<Emitted, 'event' | 'data'>[]): string[] {
  return emitted.flatMap(({ event, data }) => {
    const pointer = `#/components/schemas/${eventComponent(event)}/properties/data`;
    return published.faultsAt(pointer, deliveredData({ event, data })).map((fault) => `${event}${fault}`);
  });
}

function kinds(emitted: readonly Pick<Emitted, 'event'>[]): string[] {
  return emitted.map(({ event }) => event);
}

const TRIAL = ['subscription.created', 'subscription.trialing'];
const PAID = ['subscription.created', 'payment.succeeded', 'subscription.active'];

describe('the emitted events match the document', () => {
  it.each<[string, () => TestSubscription, readonly string[]]>([
    ['starts its trial', () => new TestSubscription({ trialDays: 7 }).goes(COVERED), TRIAL],
    ['is paid', () => active(), PAID],
    ['fails', failed, ['subscription.created', 'payment.failed']],
    ['is at risk, and fails', atRisk, [...PAID, 'subscription.at_risk', 'payment.failed', 'subscription.past_due']],
    ['is canceled', canceled, [...PAID, 'subscription.canceled']],
    ['reaches its limit', ended, ['subscription.created', 'payment.failed', 'subscription.canceled']],
  ])('of a subscription that %s', (_story, play, expected) => {
    const emitted = emittedBy(play());
    expect(kinds(emitted)).toEqual(expected);
    expect(faultsOf(emitted)).toEqual([]);
  });

  it.each([
    ['settles', (payment: TestPayment) => payment.hears('started', 'mined', 'final'), 'payment.succeeded'],
    ['fails', (payment: TestPayment) => payment.hears('started', 'refused'), 'payment.failed'],
    ['is canceled', (payment: TestPayment) => payment.send(CANCEL_PAYMENT), 'payment.canceled'],
  ] as const)('of a one-off payment that %s', (_story, play, expected) => {
    const payment = new TestPayment({ of: 'one-off' });
    play(payment);
    const emitted = emittedBy(payment);
    expect(kinds(emitted)).toContain(expected);
    expect(faultsOf(emitted)).toEqual([]);
  });

  it('of customers and wallets', async () => {
    const http = await startHttp();
    const { testKey: key } = await http.merchant();
    const wallets = [{ chainFamily: 'evm', address: ALICE }];
    const customer = idOf(await http.call('POST', '/customers', { key, body: { wallets } }));
    await http.call('PATCH', `/customers/${customer}`, { key, body: { name: 'Ada' } });
    await http.call('DELETE', `/customers/${customer}`, { key });
    for (const receiverWallet of [ALICE, BOB]) {
      await http.call('POST', '/wallets', { key, body: { tokenKey: 'usdc-base', receiverWallet } });
    }
    await http.call('POST', '/offers', { key, body: offerBody() });
    await http.billing.quiet();
    const stored = await http.store.records.find('events', { where: {}, limit: 100 });
    const emitted = emittedBy({
      asked: stored.map(({ event, data }) => effect.parse({ type: 'webhook.emit', event, data })),
    });
    expect(new Set(kinds(emitted))).toEqual(
      new Set(['customer.created', 'customer.updated', 'customer.deleted', 'wallet.updated']),
    );
    expect(faultsOf(emitted)).toEqual([]);
  });
});

function failed(): TestSubscription {
  const made = charging();
  made.fails();
  return made;
}

function atRisk(): TestSubscription {
  const made = active();
  made.checksAhead();
  made.send({ type: 'risk.seen', covers: true, payable: false });
  made.falls();
  made.fails('insufficient_balance');
  return made;
}

function canceled(): TestSubscription {
  const made = active();
  made.send(CANCEL);
  return made;
}

function ended(): TestSubscription {
  const made = charging({ terms: { maxFailedCycles: 1 } });
  made.fails();
  return made;
}
