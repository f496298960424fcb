import { secretHash } from '../../src/model/secrets.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { LedgerStore } from '../../src/store/port.ts';
import { ALICE } from '../support/bodies.ts';
import { startTestDevnet } from '../support/devnet.ts';
import { type HttpHarness, idsOf, startHttp, useHttp } from '../support/http.ts';
import { adaAt, dyingBeforeCopy, journalOf, REASON, staff } from './support/staff.ts';

const http = useHttp();
describe('GET /staff/api/merchants/{merchantId}/journal 200', () => {
  it("lists the staff's actions, newest first, in pages", async () => {
    const { merchant } = await http.merchant();
    const { _id: id } = merchant;
    for (const limitFactor of [2, 3, 4, 5]) {
      http.later(1_000);
      await staff(http, 'PATCH', `/merchants/${id}`, { limitFactor, reason: `to ${limitFactor}` });
    }
    const all = await staff(http, 'GET', `/merchants/${id}/journal`);
    expect(all.body).toMatchObject({
      limit: 20,
      start: 0,
      entries: [5, 4, 3, 2].map((to) => ({ reason: `to ${to}`, details: { limitFactor: { from: to - 1, to } } })),
    });
    const page = await staff(http, 'GET', `/merchants/${id}/journal?limit=2&start=1`);
    expect(idsOf(page, 'entries')).toEqual(idsOf(all, 'entries').slice(1, 3));
    expect(page.body).toMatchObject({ limit: 2, start: 1 });
  });

  it('names the person of the token, and shows nothing of another merchant', async () => {
    const { merchant } = await http.merchant();
    const other = await http.merchant();
    await adaAt(http).post(`/merchants/${merchant._id}/suspend`);
    expect(await journalOf(http, merchant._id)).toMatchObject([{ by: 'staff:Ada' }]);
    expect(await journalOf(http, other.merchant._id)).toEqual([]);
  });

  it('keeps every entry of many simultaneous changes', async () => {
    const { merchant } = await http.merchant();
    const factors = [2, 3, 4, 5, 6, 7, 8, 9];
    await Promise.all(
      factors.map((limitFactor) => staff(http, 'PATCH', `/merchants/${merchant._id}`, { limitFactor, reason: REASON })),
    );
    const entries = await journalOf(http, merchant._id);
    expect(entries).toHaveLength(factors.length);
    const [stored] = await http.store.records.get('merchants', [merchant._id]);
    expect(stored?.staffEntry).toMatchObject({ details: { limitFactor: { to: stored?.limitFactor } } });
  });
});

describe.each(['memory', 'MongoDB'])('a change whose process dies before its entry is copied, in %s', (form) => {
  let store: LedgerStore;
  let own: HttpHarness;
  /** Another server, whose process dies there. */
  let dying: HttpHarness;
  beforeAll(async () => {
    store = form === 'memory' ? openMemoryStore() : await (await startTestDevnet()).openStore('journal');
    own = await startHttp({ store });
    dying = await startHttp({ store: dyingBeforeCopy(store) });
    own.now = dying.now = new Date();
  });
  afterAll(() => Promise.all([own.stop(), dying.stop()]));

  it('is not acknowledged, and the next read has its entry', async () => {
    const { merchant, testKey } = await own.merchant();
    const { _id: id } = merchant;
    const keyId = secretHash(testKey).slice(0, 16);
    const wallet = { mode: 'live', tokenKey: 'usdc-base', receiverWallet: ALICE, reason: 'wallet' };
    const answers = [
      await staff(dying, 'PATCH', `/merchants/${id}`, { limitFactor: 7, reason: 'limits' }),
      await staff(dying, 'DELETE', `/merchants/${id}/keys/${keyId}`, { reason: 'key' }),
      await staff(dying, 'PUT', `/merchants/${id}/wallets`, wallet),
      await staff(dying, 'POST', `/merchants/${id}/keys`, { mode: 'live', reason: 'new key' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([500, 500, 500, 500]);
    expect(await store.records.count('staffJournal', { merchantId: id })).toBe(0);
    const reasons = (entries: unknown) =>
      JSON.stringify(entries)
        .match(/"reason":"[^"]+"/g)
        ?.sort();
    const expected = ['"reason":"key"', '"reason":"limits"', '"reason":"new key"', '"reason":"wallet"'];
    expect(reasons(await journalOf(own, id))).toEqual(expected);
    expect(reasons(await journalOf(own, id))).toEqual(expected);
  });

  it('is in the journal before the next change', async () => {
    const { merchant } = await own.merchant();
    const { _id: id } = merchant;
    await staff(dying, 'POST', `/merchants/${id}/suspend`, { reason: 'first' });
    await staff(own, 'POST', `/merchants/${id}/reinstate`, { reason: 'second' });
    const kept = await store.records.find('staffJournal', { where: { merchantId: id }, limit: 9 });
    expect(kept.map(({ reason }) => reason).sort()).toEqual(['first', 'second']);
  });
});
