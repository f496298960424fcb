import { findAuthorization, issueAuthorization } from '../../src/billing/subscriptions/authorizations.ts';
import type { AuthorizationPurpose } from '../../src/store/collections.ts';
import type { StoredActor } from '../../src/store/documents.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { Store } from '../../src/store/port.ts';
import { active, CANCEL, MONTHLY, START, TestSubscription } from '../machines/support/subscription.ts';
import { batchOf, commitOf, insertActors } from '../store/support/documents.ts';

const DAY = 86_400_000;
const PAYER = '0xpayer';

let now: Date;
let store: Store;
beforeEach(() => {
  now = new Date(START);
  store = openMemoryStore();
});

const deps = () => ({ store, clock: () => now });
const issue = (doc: StoredActor, purpose: AuthorizationPurpose) => issueAuthorization(deps(), doc, purpose);
const find = (token: string) => findAuthorization(deps(), token);

/** Replaces the stored document by the current one. */
async function keep(subscription: TestSubscription): Promise<StoredActor> {
  const doc = subscription.doc({ _id: 'sub_1', merchantId: 'mrc_1' });
  const [found] = await store.actors.load('subscription', [doc._id]);
  if (!found) {
    await insertActors(store, [doc]);
    return doc;
  }
  const after = { ...doc, rev: found.rev + 1, updatedAt: now };
  await store.actors.commit('subscription', batchOf([commitOf(found, {}, after)]));
  return after;
}

const YEARLY = { ...MONTHLY, priceId: 'price_2', interval: { unit: 'year' as const, count: 1 } };
const UNTIL = new Date(Date.parse(START) + 30 * DAY).toISOString();

function purposeOf(priceId = 'price_2', until = UNTIL): AuthorizationPurpose {
  return { kind: 'migration', priceId, tokenKey: MONTHLY.tokenKey, until };
}

function migrating(priceId = 'price_2', expiresAt = UNTIL, made = new TestSubscription()): TestSubscription {
  made.send({ type: 'migration.requested', terms: { ...YEARLY, priceId }, expiresAt });
  return made;
}

describe('a link for a subscription', () => {
  it('is found by its token, which the database does not contain', async () => {
    const doc = await keep(new TestSubscription());
    const token = await issue(doc, { kind: 'subscription' });
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(await find(token)).toMatchObject({
      subscription: { _id: 'sub_1', status: 'pending' },
      purpose: { kind: 'subscription' },
      isDone: false,
      expiresAt: new Date(UNTIL),
    });
    const [link] = await store.records.find('authorizations', { where: {}, limit: 1 });
    expect(JSON.stringify(link)).not.toContain(token);
    expect(await find(link?._id ?? '')).toBeNull();
  });

  it('differs every time, and every one is valid', async () => {
    const doc = await keep(new TestSubscription());
    const first = await issue(doc, { kind: 'subscription' });
    const second = await issue(doc, { kind: 'subscription' });
    expect(second).not.toBe(first);
    expect(await find(first)).not.toBeNull();
    expect(await find(second)).not.toBeNull();
  });

  it('is valid for 30 days', async () => {
    const token = await issue(await keep(new TestSubscription()), { kind: 'subscription' });
    now = new Date(Date.parse(START) + 30 * DAY - 1);
    expect(await find(token)).not.toBeNull();
    now = new Date(Date.parse(START) + 30 * DAY);
    expect(await find(token)).toBeNull();
  });

  it('still shows a canceled subscription', async () => {
    const subscription = new TestSubscription();
    const token = await issue(await keep(subscription), { kind: 'subscription' });
    subscription.send(CANCEL);
    await keep(subscription);
    expect((await find(token))?.subscription.value).toEqual({ canceled: 'closed' });
  });

  it.each(['', 'x', 'a'.repeat(43), 'a'.repeat(44), '../../etc/passwd', '{"$ne":null}'])(
    'does not accept %j',
    async (token) => {
      expect(await find(token)).toBeNull();
    },
  );
});

describe('a link for a migration', () => {
  const SIGNED = { type: 'migration.signed', wallet: PAYER } as const;
  const SEEN = { type: 'migration.seen', covers: true } as const;
  const MONTH_LATER = { type: 'clock.moved', clockOffsetMs: 30 * DAY } as const;
  const OTHER_PRICE = {
    type: 'migration.requested',
    terms: { ...YEARLY, priceId: 'price_3' },
    expiresAt: UNTIL,
  } as const;
  const LATER = new Date(Date.parse(UNTIL) + 1).toISOString();
  const AGAIN = { type: 'migration.requested', terms: YEARLY, expiresAt: LATER } as const;
  const pending = () => new TestSubscription();

  it.each([
    ['is valid while the migration waits for the payer', pending, [], false],
    ['is valid after the signature', pending, [SIGNED], false],
    ['shows that the migration has taken effect', pending, [SIGNED, SEEN], true],
    ['ends when a migration to another price replaces it', pending, [OTHER_PRICE], null],
    ['ends when another migration to the same price replaces it', pending, [OTHER_PRICE, AGAIN], null],
    ['ends when the subscription is canceled', pending, [CANCEL], null],
    ['ends at its time by the clock of the subscription', pending, [MONTH_LATER], null],
    ['ends at that time if it is only signed', active, [SIGNED, MONTH_LATER], null],
    ['stays valid after that time if it is signed and covered', active, [SIGNED, MONTH_LATER, SEEN], false],
  ] as const)('%s', async (_, made, events, isDone) => {
    const subscription = migrating('price_2', UNTIL, made());
    const token = await issue(await keep(subscription), purposeOf());
    await keep(subscription.goes(...events));
    const found = await find(token);
    expect(found?.isDone ?? null).toBe(isDone);
    if (found) expect(found.purpose).toEqual(purposeOf());
  });

  it('of the migration that replaced another is valid', async () => {
    const doc = await keep(migrating().goes(AGAIN));
    expect(await find(await issue(doc, purposeOf('price_2', LATER)))).not.toBeNull();
  });
});
