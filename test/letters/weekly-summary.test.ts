import fc from 'fast-check';
import { addDays } from '../../machines/rules/period.ts';
import { setLetters } from '../../src/billing/administration/letter-settings.ts';
import { setTimeZone } from '../../src/billing/administration/time-zone.ts';
import { writeSummaries } from '../../src/billing/letters/weekly-summaries.ts';
import { mondayOf } from '../../src/model/time-zones.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import { signedIn } from '../dashboard/support.ts';
import { staff } from '../staff/support/staff.ts';
import { insertActors } from '../store/support/documents.ts';
import { LetterShop } from './support/shop.ts';

const shop = await LetterShop.open();
const { merchant, office } = shop;
const { http } = merchant;
const { actors } = http.store;
const TO = 'owner@shop.example.com';
const ORDER = { by: 'staff', reason: 'a test' };

/** The weekly summaries that come at this moment. */
function at(moment: string) {
  http.now = new Date(moment);
  return shop.send();
}

/** What the merchant has in test mode, once more in live mode. */
async function goLive(): Promise<void> {
  for (const kind of ['subscription', 'payment'] as const) {
    const found = await actors.find(kind, { where: { merchantId: merchant.id, mode: 'test' }, limit: 100 });
    for (const doc of await actors.load(
      kind,
      found.map(({ _id }) => _id),
    ))
      await insertActors(http.store, [{ ...doc, _id: doc._id.replace('_', '_live'), mode: 'live' }]);
  }
}

beforeEach(() => {
  office.refusal = () => null;
});

it('tells on Monday morning what happened in the week before, in the zone and the language of the merchant', async () => {
  expect((await merchant.patch('/account', { timeZone: 'Europe/Berlin' })).status).toBe(200);
  http.now = new Date('2030-03-26T10:00:00.000Z');
  await shop.set({ test: false, summaryTo: TO });
  await merchant.subscribeAndPay();
  await goLive();
  // Clocks have gone forward in the night to Sunday.
  expect(await at('2030-04-01T05:59:00.000Z')).toEqual([]);
  const [letter, ...others] = await at('2030-04-01T06:00:00.000Z');
  expect([letter?.to, others]).toEqual([TO, []]);
  expect(letter?.mail.subject).toBe('Coffee Club: your week from March 25, 2030 to March 31, 2030');
  expect(letter?.raw).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click/im);
  const nothing = 'the week before: 0.00 USDC charged, 0.00 USDC refunded, 0.00 USDC net';
  for (const part of [letter?.mail.text, letter?.mail.html || '']) {
    expect(part).toContain(`9.90 USDC charged, 0.00 USDC refunded, 9.90 USDC net (${nothing})`);
    expect(part).toContain('https://pay.example.com/dashboard#/live/home');
  }
  expect(letter?.mail.text).toContain('New subscriptions: 1 (the week before: 0)');
  await shop.set({ language: 'de' });
  const [next] = await at('2030-04-08T06:00:00.000Z');
  expect(next?.mail.text).toMatch(/^USDC auf Local EVM: 0,00 USDC abgebucht.+Woche davor: 9,90 USDC abgebucht/m);
  await shop.set({ language: null });
  // The service was away: only the last of those weeks has a letter.
  const [late, ...more] = await at('2030-04-23T06:00:00.000Z');
  expect([late?.mail.subject, more]).toEqual([expect.stringContaining('April 15, 2030'), []]);
  expect(late?.mail.text).toContain('Renewals this week, at full price: 1 (9.90 USDC)');
});

it('does not come to an address that bounces; dashboard and console say so, and staff lift it', async () => {
  office.refusal = (to) => ({ code: 550, text: `5.1.1 <${to}> is unknown here` });
  await at('2030-05-06T06:00:00.000Z');
  office.refusal = () => null;
  expect(await at('2030-05-13T06:00:00.000Z')).toEqual([]);
  const viewer = await signedIn(http, { merchant: { _id: merchant.id } }, 'viewer');
  const { body } = await viewer.call('GET', `/letters?mode=live&about=${merchant.id}`);
  const bounced = { letter: 'weekly_summary', status: 'suppressed', stop: 'bounced' };
  expect(body).toMatchObject({ letters: [bounced, bounced, {}, {}, {}], stops: [{ stop: 'bounced' }] });
  expect(JSON.stringify(body)).not.toContain(TO);
  const stranger = await signedIn(http, await http.merchant('Another shop'), 'admin');
  const other = await stranger.call('GET', `/letters?mode=live&about=${merchant.id}`);
  expect(other.body).toEqual({ letters: [], stops: [] });
  const { body: seen } = await staff(http, 'GET', `/letters?about=${merchant.id}`);
  expect(seen).toMatchObject({ stops: [{ stop: 'bounced', reason: expect.stringContaining('is unknown here') }] });
  await staff(http, 'POST', '/letters/releases', { address: TO, reason: 'the mailbox is there again' });
  expect(await at('2030-05-20T06:00:00.000Z')).toHaveLength(1);
});

it('ends with one click, and begins again with an admin', async () => {
  const [letter] = await at('2030-05-27T06:00:00.000Z');
  const [, url = ''] = /^List-Unsubscribe:\s*<(https:[^>]+)>/im.exec(letter?.raw ?? '') ?? [];
  const { pathname } = new URL(url);
  expect((await http.send('GET', pathname)).body).toContain('No more weekly summaries');
  expect((await http.send('POST', pathname)).body).toContain('Coffee Club gets no more weekly summaries');
  expect(await at('2030-06-03T06:00:00.000Z')).toEqual([]);
  const admin = await signedIn(http, { merchant: { _id: merchant.id } }, 'admin');
  expect((await admin.call('GET', '/letter-settings')).body).toMatchObject({ summaryTo: null });
  expect(JSON.stringify((await admin.call('GET', '/activity')).body)).toContain('the link in a weekly summary');
  expect((await admin.call('PATCH', '/letter-settings', { summaryTo: 'nobody' })).status).toBe(400);
  expect((await admin.call('PATCH', '/letter-settings', { summaryTo: TO })).body).toMatchObject({ summaryTo: TO });
  expect(await shop.send()).toEqual([]);
  expect(await at('2030-06-10T06:00:00.000Z')).toHaveLength(1);
});

it('is written exactly once for each week, across all zones, changes of clocks and changes of the zone', async () => {
  const { letters: _, ...doc } = (await http.merchant('A shop')).merchant;
  const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
  const step = fc.record({ hours: fc.integer({ min: 1, max: 60 }), zone: fc.option(zone, { freq: 9 }) });
  const start = fc.date({ min: new Date('2026-01-01'), max: new Date('2035-01-01'), noInvalidDate: true });
  const steps = fc.array(step, { minLength: 20, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(start, zone, steps, async (from, first, moves) => {
      const store = openMemoryStore();
      let [now, present] = [from, first];
      const deps = { store, clock: () => now };
      await store.records.insert('merchants', [{ ...doc, timeZone: first }]);
      await setLetters(deps, doc._id, { summaryTo: TO }, ORDER);
      const written: string[] = [];
      for (const { hours, zone: other } of moves) {
        now = new Date(now.getTime() + hours * 3_600_000);
        const [stored = doc] = await store.records.get('merchants', [doc._id]);
        if (other !== null) await setTimeZone(deps, stored, other);
        present = other ?? present;
        await Promise.all([writeSummaries(deps), writeSummaries(deps)]);
        const letters = await store.records.find('letters', { where: {}, sort: [['createdAt', 1]], limit: 100 });
        for (const { data } of letters.slice(written.length)) {
          written.push(String(data['monday']));
          const local = now.toLocaleString('sv-SE', { timeZone: present });
          expect(local >= `${written.at(-1)} 07:00:00`).toBe(true);
        }
      }
      expect(written).toEqual(written.map((_, weeks) => addDays(written[0] ?? '', 7 * weeks).slice(0, 10)));
      const late = new Date(now.getTime() - 9 * 3_600_000);
      if (written.length > 0) expect((written.at(-1) ?? '') >= mondayOf(present, late)).toBe(true);
    }),
    { numRuns: 40 },
  );
});
