import type { FaultHook } from '../../src/engine/faults.ts';
import { until } from '../../stage/until.ts';
import { withActors } from '../engine/support/stores.ts';
import { deferred } from '../engine/support/world.ts';
import { ALICE, offerBody } from '../support/bodies.ts';
import { startTestDevnet } from '../support/devnet.ts';
import { type HttpHarness, idOf, priceIdOf, type Reply, startHttp } from '../support/http.ts';

/** Makes the write of a new subscription wait. */
interface Hold {
  insert: Promise<unknown> | null;
  reached: () => void;
}

const held: Hold = { insert: null, reached: () => {} };
let one: HttpHarness;
let other: HttpHarness;
let key: string;
let customerId: string;
let priceId: string;
let offerId: string;

beforeAll(async () => {
  const { openStore } = await startTestDevnet();
  const slow = withActors(await openStore('late'), (actors) => ({
    commit: async (kind, batch, between) => {
      const creates = batch.commits.some(({ before }) => before === null);
      if (creates) held.reached();
      if (creates && kind === 'subscription') await held.insert;
      return actors.commit(kind, batch, between);
    },
  }));
  one = await startHttp({ store: slow });
  other = await startHttp({ store: await openStore('late') });
});

beforeEach(async () => {
  Object.assign(held, { insert: null, reached: () => {} });
  // The counters expire by the engine's own clock.
  one.now = other.now = new Date();
  const made = await one.merchant();
  key = made.testKey;
  await one.store.records.change('merchants', made.merchant._id, {}, { set: { limitFactor: 100 } });
  customerId = idOf(await one.call('POST', '/customers', { key, body: {} }));
  const offer = await one.call('POST', '/offers', { key, body: offerBody() });
  offerId = idOf(offer);
  priceId = priceIdOf(offer);
});

/** A process that stops at this effect, as if it had died there. */
async function doomedAt(effect: string): Promise<HttpHarness> {
  const fault: FaultHook = async (point, detail) => {
    if (point === 'relay.effect.before' && detail === effect) await new Promise(() => {});
  };
  const doomed = await startHttp({ store: other.store, fault });
  doomed.now = other.now;
  return doomed;
}

function subscribe(at: HttpHarness): Promise<Reply> {
  return at.call('POST', '/subscriptions', { key, body: { customerId, priceId } });
}

/**
 * POST /subscriptions at one process, which has checked everything but not written yet, while `act` happens at the
 * other.
 */
async function whileMaking(act: () => Promise<Reply>): Promise<{ readonly made: Reply; readonly meanwhile: Reply }> {
  const [reached, released] = [deferred<void>(), deferred<void>()];
  Object.assign(held, { insert: released.promise, reached: () => reached.resolve() });
  const making = subscribe(one);
  await reached.promise;
  const meanwhile = await act();
  await other.billing.quiet();
  released.resolve();
  const made = await making;
  await one.billing.quiet();
  return { made, meanwhile };
}

async function stored(id: string) {
  const [doc] = await other.store.actors.load('subscription', [id]);
  return doc;
}

/** The stored events of a subscription. */
async function reportedOf(id: string) {
  await one.billing.quiet();
  const events = await other.billing.eventsOf(id);
  return events.map(({ event, data }) => [event, data['reason']]);
}

/** Other processes take over the outboxes of a dead process after a while. */
async function follow(from: 'subscription' | 'customers'): Promise<void> {
  other.now = new Date(Date.now() + 10_000);
  await other.billing.relay(from);
}

const CREATED_AND_CANCELED = [
  ['subscription.created', undefined],
  ['subscription.canceled', undefined],
];

describe('a new subscription whose customer is deleted meanwhile', () => {
  it('is canceled right after its creation, with one event and no reason', async () => {
    const { made, meanwhile } = await whileMaking(() => other.call('DELETE', `/customers/${customerId}`, { key }));
    expect([meanwhile.status, made.status]).toEqual([200, 201]);
    expect(await stored(idOf(made))).toMatchObject({
      status: 'canceled',
      context: { ended: { reason: 'customer_deleted' } },
    });
    expect(await reportedOf(idOf(made))).toEqual(CREATED_AND_CANCELED);
  });

  it('is canceled by another process if the one that made it died after the write', async () => {
    const doomed = await doomedAt('allowance.watch');
    const made = await subscribe(doomed);
    await other.store.records.change('customers', customerId, {}, { set: { deletedAt: other.now } });
    expect(await stored(idOf(made))).toMatchObject({ status: 'pending' });
    await follow('subscription');
    expect(await stored(idOf(made))).toMatchObject({ status: 'canceled' });
    expect(await reportedOf(idOf(made))).toEqual(CREATED_AND_CANCELED);
  });

  it('is canceled by another process if the one that deleted the customer died after the write', async () => {
    const made = await subscribe(other);
    await other.billing.quiet();
    const doomed = await doomedAt('subscriptions.cancel');
    doomed.call('DELETE', `/customers/${customerId}`, { key }).catch(() => {});
    await until('the customer is deleted', customer, (doc) => doc?.deletedAt !== null);
    expect(await stored(idOf(made))).toMatchObject({ status: 'pending' });
    await follow('customers');
    expect(await stored(idOf(made))).toMatchObject({ status: 'canceled' });
    expect(await reportedOf(idOf(made))).toEqual(CREATED_AND_CANCELED);
  });

  it('is never live afterwards, however often both happen together', async () => {
    for (let round = 0; round < 8; round += 1) {
      customerId = idOf(await one.call('POST', '/customers', { key, body: {} }));
      const at = [one, other, one, other];
      const calls = at.map((each) => subscribe(each));
      calls.splice(round % 4, 0, other.call('DELETE', `/customers/${customerId}`, { key }));
      const replies = await Promise.all(calls);
      await Promise.all([one.billing.quiet(), other.billing.quiet()]);
      for (const { status } of replies) expect([200, 201, 404]).toContain(status);
      const live = { 'attributes.customerId': customerId, status: { not: 'canceled' } };
      expect(await other.store.actors.count('subscription', live)).toBe(0);
    }
  });
});

describe('a new subscription whose offer is deleted meanwhile', () => {
  it('is canceled right after its creation', async () => {
    const { made, meanwhile } = await whileMaking(() => other.call('DELETE', `/offers/${offerId}`, { key }));
    expect([meanwhile.status, made.status]).toEqual([200, 201]);
    expect(await stored(idOf(made))).toMatchObject({ status: 'canceled', context: { ended: { reason: 'requested' } } });
    expect(await reportedOf(idOf(made))).toEqual(CREATED_AND_CANCELED);
  });

  it('blocks the deletion of the offer as soon as it exists', async () => {
    const made = await subscribe(one);
    const refused = await other.call('DELETE', `/offers/${offerId}`, { key });
    expect(refused.status).toBe(409);
    await one.billing.quiet();
    expect(await stored(idOf(made))).toMatchObject({ status: 'pending' });
  });

  it('either blocks the deletion or is canceled, however often both happen together', async () => {
    for (let round = 0; round < 8; round += 1) {
      const offer = await one.call('POST', '/offers', { key, body: offerBody() });
      offerId = idOf(offer);
      priceId = priceIdOf(offer);
      const [deleted] = await Promise.all([
        other.call('DELETE', `/offers/${offerId}`, { key }),
        subscribe(one),
        subscribe(other),
      ]);
      await Promise.all([one.billing.quiet(), other.billing.quiet()]);
      const live = { 'attributes.offerId': offerId, status: { not: 'canceled' } };
      const count = await other.store.actors.count('subscription', live);
      if (deleted.status === 200) expect(count).toBe(0);
      else expect([deleted.status, count > 0]).toEqual([409, true]);
    }
  });
});

describe('a new subscription whose customer gets a first wallet meanwhile', () => {
  const wallets = [{ chainFamily: 'evm', address: ALICE }];

  it('bills that wallet', async () => {
    const { made, meanwhile } = await whileMaking(() =>
      other.call('PATCH', `/customers/${customerId}`, { key, body: { wallets } }),
    );
    expect([meanwhile.status, made.status]).toEqual([200, 201]);
    expect(made.body).toMatchObject({ payerWallet: null });
    expect(await stored(idOf(made))).toMatchObject({ context: { payerWallet: ALICE } });
  });

  it('bills the wallet even if the process that linked it died after the write', async () => {
    const made = await subscribe(other);
    await other.billing.quiet();
    const doomed = await doomedAt('payer.link');
    await doomed.call('PATCH', `/customers/${customerId}`, { key, body: { wallets } });
    expect(await stored(idOf(made))).toMatchObject({ context: { payerWallet: null } });
    await follow('customers');
    expect(await stored(idOf(made))).toMatchObject({ context: { payerWallet: ALICE } });
  });
});

async function customer() {
  return (await other.store.records.get('customers', [customerId]))[0];
}
