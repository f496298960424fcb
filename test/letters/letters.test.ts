import { writeLetters } from '../../src/billing/letters/write-letters.ts';
import { smtpMailer } from '../../src/letters/smtp.ts';
import type { Received } from '../../stage/post-office.ts';
import { NOTHING, PLENTY } from '../../stage/scripted-chain.ts';
import { until } from '../../stage/until.ts';
import { effectItem } from '../billing/support/effect-item.ts';
import { signedIn } from '../dashboard/support.ts';
import { withRecords } from '../engine/support/stores.ts';
import { staff } from '../staff/support/staff.ts';
import { ALICE, monthly, offerBody } from '../support/bodies.ts';
import { expectError, idOf, priceIdOf } from '../support/http.ts';
import { LetterShop } from './support/shop.ts';

const shop = await LetterShop.open();
const { merchant, office } = shop;
const { http, chain } = merchant;
const { records } = http.store;

let made = 0;

/** Another customer's address. */
function address(): string {
  made += 1;
  return `reader-${made}@example.org`;
}

function subjects(letters: readonly Received[]): (string | undefined)[] {
  return letters.map(({ mail }) => mail.subject);
}

/** What `List-Unsubscribe` leads to. */
function stopPath(letter: Received | undefined): string {
  const [, url = ''] = /^List-Unsubscribe:\s*<(https:[^>]+)>/im.exec(letter?.raw ?? '') ?? [];
  return new URL(url).pathname;
}

/** How the letters about this have ended, the oldest first. */
async function fates(about: string): Promise<string[]> {
  const letters = await records.find('letters', { where: { resourceId: about }, sort: [['createdAt', 1]], limit: 20 });
  return letters.map(({ letter, status, stop }) => `${letter}: ${stop ?? status}`);
}

async function subscribed(customer: object = {}, option: object = {}) {
  const email = address();
  const id = await merchant.subscribeAndPay({ email, ...customer }, option);
  const [letter] = await records.find('letters', { where: { resourceId: id }, limit: 1 });
  return { id, email, customerId: letter?.customerId ?? '' };
}

beforeEach(async () => {
  chain.state = PLENTY;
  office.refusal = () => null;
  office.diesInData = false;
  await shop.send();
});

describe('a letter', () => {
  it('is a receipt, as text and as HTML, from the merchant, with the address of the receipt', async () => {
    const { email } = await subscribed();
    const [letter, ...others] = await shop.send();
    expect(others).toEqual([]);
    const { mail, to, raw } = letter ?? {};
    expect(to).toBe(email);
    expect(mail?.subject).toBe('[Test mode] Receipt from Coffee Club: 9.90 USDC');
    expect(mail?.from?.text).toBe('"Coffee Club" <letters@pay.example.com>');
    expect(mail?.messageId).toMatch(/^<ltr_[0-9a-z]{26}@pay\.example\.com>$/);
    expect(mail?.headers.get('auto-submitted')).toBe('auto-generated');
    expect(raw).not.toMatch(/^List-Unsubscribe/im);
    const [url = ''] = /https:\/\/pay\.example\.com\/receipts\/\S+/.exec(mail?.text ?? '') ?? [];
    for (const part of [mail?.text, mail?.html || '']) {
      expect(part).toContain('You have paid 9.90 USDC to Coffee Club. Thank you.');
      expect(part).toContain('https://pay.example.com/portal?lang=en');
      expect(part).toContain(url.split('?')[0]);
    }
    const receipt = await http.send('GET', url.replace('https://pay.example.com', ''));
    expect(receipt.status).toBe(200);
  });

  it('is in the language in which the customer has signed, to the reply address of the merchant, and leads to its invoice', async () => {
    const { customerId } = await subscribed();
    const invoicing = { since: http.now, country: 'DE', currency: 'EUR', taxRate: '19', taxRates: {} };
    await records.change('merchants', merchant.id, {}, { set: { invoicing } });
    await records.change('customers', customerId, {}, { set: { language: 'de' } });
    await shop.set({ replyTo: 'help@shop.example.com' });
    const [letter] = await shop.send();
    await shop.set({ replyTo: null });
    expect(letter?.mail.subject).toBe('[Testmodus] Beleg von Coffee Club: 9,90 USDC');
    expect(letter?.mail.text).toContain('Vielen Dank');
    expect(letter?.mail.text).toContain('Die Rechnung finden Sie auf der Seite des Belegs');
    expect(letter?.mail.replyTo?.text).toBe('help@shop.example.com');
  });

  it('is written for no customer without an address, and for none while the merchant sends none', async () => {
    await merchant.subscribeAndPay();
    await shop.set({ test: false, live: true });
    await subscribed();
    await shop.set({ test: true, live: false });
    expect(await shop.send()).toEqual([]);
  });

  it('names what is charged a week later, and why that would fail, and can be stopped with one click', async () => {
    const { id, email } = await subscribed();
    await shop.send();
    merchant.later(24 * 86_400_000);
    chain.state = NOTHING;
    await merchant.send(id, { type: 'risk.due' });
    await merchant.billing.deps.watcher.check([id]);
    const letters = await shop.send();
    expect(subjects(letters).toSorted()).toEqual([
      '[Test mode] Coffee monthly: the charge on February 15, 2030 would fail',
      '[Test mode] Coffee monthly: the next charge is on February 15, 2030',
    ]);
    const reminder = letters.find(({ mail }) => mail.subject?.includes('next charge'));
    const risk = letters.find(({ mail }) => mail.subject?.includes('would fail'));
    expect(risk?.mail.text).toContain('Please approve again');
    expect(risk?.mail.text).toMatch(/https:\/\/pay\.example\.com\/checkout\/authorize\/[\w-]{43}\?lang=en/);
    expect(risk?.raw).not.toMatch(/^List-Unsubscribe/im);
    expect(reminder?.raw).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click/im);
    const pathname = stopPath(reminder);
    expect((await http.send('GET', pathname)).body).toContain('No more reminders from Coffee Club?');
    expect((await records.get('letters', [pathname.split('/')[2] ?? '']))[0]?.customerId).toMatch(/^cust_/);
    expect((await http.send('POST', pathname, { body: 'List-Unsubscribe=One-Click' })).status).toBe(200);
    expect((await http.send('POST', `${pathname}x`)).status).toBe(404);
    merchant.later(25 * 86_400_000);
    await merchant.settleCharge(id);
    const [receipt] = await shop.send();
    expect([receipt?.to, receipt?.mail.subject]).toEqual([email, expect.stringContaining('Receipt')]);
  });

  it('has the dates of its reader, and both days of a charge that is on another one in UTC', async () => {
    const { id, customerId } = await subscribed({ timeZone: 'Pacific/Kiritimati' });
    const receipt = Object((await shop.send())[0]).mail.text;
    expect(receipt).toContain('GMT+14');
    merchant.later(24 * 86_400_000);
    await merchant.send(id, { type: 'risk.due' });
    const both = 'April 6, 2030 at 12:00 AM GMT+14 (April 5, 2030 in UTC)';
    expect(subjects(await shop.send())).toEqual([`[Test mode] Coffee monthly: the next charge is on ${both}`]);
    const page = await http.send('GET', /\/receipts\/\S+/.exec(receipt)?.[0] ?? '');
    expect(page.body).toContain('GMT+14');
    const path = `/customers/${customerId}`;
    expect((await merchant.get(path)).body).toMatchObject({ timeZone: 'Pacific/Kiritimati' });
    expectError(await merchant.patch(path, { timeZone: '+14:00' }), 400, expect.stringContaining('IANA database'));
    expect((await merchant.patch(path, { timeZone: null })).body).toMatchObject({ timeZone: null });
  });
});

describe('letters about a subscription', () => {
  it('say why a charge has failed, with the link that mends it, and when it is tried again', async () => {
    const { id } = await subscribed();
    await shop.send();
    await merchant.failCharge(id, 'insufficient_allowance');
    const [failed, ...others] = await shop.send();
    expect(others).toEqual([]);
    expect(failed?.mail.subject).toBe('[Test mode] Coffee monthly: a charge has failed');
    expect(failed?.mail.text).toContain('The approval was too small. Approve the amount again.');
    expect(failed?.mail.text).toMatch(/It is tried again on \w+ \d+, \d{4}\./);
    const [, token = ''] = /checkout\/authorize\/([\w-]{43})/.exec(failed?.mail.text ?? '') ?? [];
    expect((await http.send('GET', `/checkout/api/authorizations/${token}`)).status).toBe(200);
  });

  it('say nothing that is no longer so', async () => {
    const { id } = await subscribed();
    await shop.send();
    await merchant.failCharge(id, 'insufficient_balance');
    merchant.later(1_000);
    await merchant.settleCharge(id);
    expect(subjects(await shop.send())).toEqual(['[Test mode] Receipt from Coffee Club: 9.90 USDC']);
    expect(await fates(id)).toEqual(['receipt: sent', 'charge_failed: overtaken', 'receipt: sent']);
  });

  it('say that it has ended, once, also where its last charge has failed', async () => {
    const { id } = await subscribed({}, { maxFailedCycles: 1 });
    await shop.send();
    await merchant.failCharge(id, 'insufficient_balance');
    const [ended, ...others] = await shop.send();
    expect([ended?.mail.subject, others]).toEqual(['[Test mode] Coffee monthly has ended', []]);
    expect(ended?.mail.text).toContain('Its charges have failed too often.');
  });

  it('say the new price, and the discount that the next charge has', async () => {
    const unit = { amount: '2.50', model: 'per_unit', minQuantity: 1, maxQuantity: 10 };
    const made = await merchant.post('/offers', offerBody({ name: 'Seats', pricing: [monthly(unit)] }));
    const customerId = idOf(await merchant.post('/customers', { email: address(), walletAddress: ALICE }));
    const coupon = await merchant.post('/coupons', { code: 'WELCOME', percentOff: '20', cycles: 2 });
    const body = { priceId: priceIdOf(made), customerId, quantity: 2, couponId: idOf(coupon) };
    const id = idOf(await merchant.post('/subscriptions', body));
    await merchant.billing.quiet();
    await merchant.settleCharge(id);
    const [receipt] = await shop.send();
    expect(receipt?.mail.text).toContain('Quantity: 2\nDiscount: 1.00 USDC (WELCOME)\nAmount: 4.00 USDC');
    expect((await merchant.post(`/subscriptions/${id}/quantity`, { quantity: 3 })).status).toBe(200);
    const [changed] = await shop.send();
    expect(changed?.mail.subject).toBe('[Test mode] Seats: your plan has changed');
    expect(changed?.mail.text).toContain('you now pay 3 × 2.50 USD every month');
    expect(changed?.mail.text).toContain('Discount: 20% off the next charge (WELCOME)\nAmount: 6.00 USDC');
  });
});

it('says that the merchant has paused a subscription, and that it goes on, and repeats no pause of the payer', async () => {
  const { id } = await subscribed();
  await shop.send();
  const act = async (what: 'pause' | 'resume', body = {}) => {
    expect((await merchant.post(`/subscriptions/${id}/${what}`, body)).status).toBe(200);
    return shop.send();
  };
  const own = { type: 'pause.requested', until: null, pausedBy: 'payer', periodEnd: 'moves' } as const;
  await merchant.send(id, own, 'payer');
  await merchant.send(id, { type: 'resume.requested' }, 'payer');
  await merchant.send(id, own, 'payer');
  expect(await shop.send()).toEqual([]);
  expect(subjects(await act('resume'))).toEqual(['[Test mode] Coffee monthly goes on after the pause']);
  const [paused] = await act('pause');
  expect(paused?.mail.subject).toBe('[Test mode] Coffee monthly is paused');
  expect(paused?.mail.text).toContain('The merchant has paused it');
  expect(paused?.mail.text).not.toContain('Amount');
  const until = new Date(http.now.getTime() + 864_000_000).toISOString();
  const [longer] = await act('pause', { until });
  expect(longer?.mail.text).toMatch(
    /Nothing is charged until .+ \d{4}\. Then it goes on by itself\.\n\nAmount: .+\nNext charge: /,
  );
  const [resumed] = await act('resume');
  expect(resumed?.mail.text).toMatch(/Coffee monthly goes on after the pause\n\nAmount: .+\nNext charge: /);
});

it('says what was refunded, and where to', async () => {
  const { customerId } = await subscribed();
  await shop.send();
  const paymentId = await merchant.paid({ customerId });
  await merchant.post(`/payments/${paymentId}/refunds`, { amount: '4', idempotencyKey: 'back' });
  await merchant.sentBack(paymentId);
  const letters = await shop.send();
  const refund = letters.find(({ mail }) => mail.subject?.includes('refunded'));
  expect(refund?.mail.subject).toBe('[Test mode] Coffee Club has refunded 4.00 USDC');
  expect(refund?.mail.text).toContain(`sent 4.00 USDC back to ${ALICE}`);
});

describe('a mail server', () => {
  it('that cannot take a letter now gets it later', async () => {
    const { id } = await subscribed();
    office.refusal = () => ({ code: 451, text: 'try again later' });
    expect(await shop.send()).toEqual([]);
    expect(await records.find('letters', { where: { resourceId: id }, limit: 1 })).toMatchObject([
      { status: 'queued', attempt: 1, attempts: [{ status: 451, body: expect.stringContaining('try again later') }] },
    ]);
    office.refusal = () => null;
    expect(await shop.send()).toEqual([]);
    merchant.later(60_000);
    expect(await shop.send()).toHaveLength(1);
  });

  it('that refuses an address for good gets no further letter for it until staff lift that', async () => {
    const { id, email, customerId } = await subscribed();
    office.refusal = (to) => ({ code: 550, text: `5.1.1 <${to}> is unknown here` });
    await shop.send();
    office.refusal = () => null;
    await merchant.settleCharge(id);
    expect(await shop.send()).toEqual([]);
    expect(await fates(id)).toEqual(['receipt: bounced', 'receipt: bounced']);
    expect(JSON.stringify(await shop.letters())).not.toContain(email);
    const { body } = await staff(http, 'GET', `/letters?about=${customerId}`);
    expect(body).toMatchObject({
      letters: [
        { status: 'suppressed', attempts: [] },
        { attempts: [{ status: 550, body: '550 5.1.1 <…> is unknown here' }] },
      ],
      stops: [{ stop: 'bounced', reason: 'mail server: 550 5.1.1 <…> is unknown here' }],
    });
    await staff(http, 'POST', '/letters/releases', {
      address: email.toUpperCase(),
      reason: 'the mailbox is there again',
    });
    await merchant.settleCharge(id);
    expect(await shop.send()).toHaveLength(1);
  });

  it('that takes no letters of this sender refuses nobody', async () => {
    const { id } = await subscribed();
    office.refusal = () => ({ code: 554, text: '5.7.1 Relay access denied' });
    await shop.send();
    office.refusal = () => null;
    merchant.later(60_000);
    expect(await shop.send()).toHaveLength(1);
    expect(await fates(id)).toEqual(['receipt: sent']);
  });

  it('that dies in the middle of a letter, or does not listen, gets it later', async () => {
    const { id } = await subscribed();
    office.diesInData = true;
    expect(await shop.send()).toEqual([]);
    office.diesInData = false;
    merchant.later(60_000);
    await shop.send({ mailer: smtpMailer({ url: 'smtp://127.0.0.1:1', from: 'letters@pay.example.com' }) });
    const [letter] = await records.find('letters', { where: { resourceId: id }, limit: 1 });
    expect(letter).toMatchObject({ status: 'queued', attempt: 2, attempts: [{ status: null }, { status: null }] });
    merchant.later(300_000);
    const [received] = await shop.send();
    expect(received?.mail.messageId).toBe(`<${letter?._id}@pay.example.com>`);
  });
});

describe('one event', () => {
  it('makes one letter, however many workers find it, and however often its effect runs', async () => {
    const { id } = await subscribed();
    let found = 0;
    const store = withRecords(http.store, (own) => ({
      find: async (from, query) => {
        const docs = await own.find(from, query);
        if (from !== 'letters') return docs;
        found += 1;
        await until(
          'both have found it',
          async () => found,
          (count) => count > 1,
        );
        return docs;
      },
    }));
    const sent = await Promise.all([shop.send({ store }), shop.send({ store })]);
    expect(new Set(sent.flat()).size).toBe(1);
    const [letter] = await records.find('letters', { where: { resourceId: id }, limit: 1 });
    const effect = { type: 'letter.write', letter: 'receipt', customerId: letter?.customerId ?? '', data: {} } as const;
    const item = { ...effectItem(effect, { id, merchantId: merchant.id }), at: http.now };
    const write = writeLetters(http.deps);
    expect(await write([item])).toEqual(['done']);
    expect(await write([item])).toEqual(['done']);
    expect(await records.count('letters', { resourceId: id })).toBe(2);
  });

  it('is sent again by another worker if the one that sent it dies, under the same message id', async () => {
    const { id } = await subscribed();
    const dying = { send: () => new Promise<never>(() => undefined) };
    void shop.send({ mailer: dying });
    await until(
      'the attempt has begun',
      () => fates(id),
      ([fate]) => fate === 'receipt: sending',
    );
    expect(await shop.send()).toEqual([]);
    merchant.later(120_000);
    const [letter] = await shop.send();
    expect(letter?.mail.messageId).toMatch(/^<ltr_/);
    expect(await fates(id)).toEqual(['receipt: sent']);
  });
});

describe('an address', () => {
  it('gets nothing more after a bounce that staff report', async () => {
    const { id, email } = await subscribed();
    expect((await staff(http, 'POST', '/letters/bounces', { address: email })).status).toBe(400);
    await staff(http, 'POST', '/letters/bounces', { address: ` ${email}`, reason: 'it came back' });
    expect(await shop.send()).toEqual([]);
    expect(await fates(id)).toEqual(['receipt: bounced']);
  });

  it('of a deleted customer gets nothing, and no letter has it', async () => {
    const { id, email, customerId } = await subscribed();
    await merchant.delete(`/customers/${customerId}`);
    expect(await shop.send()).toEqual([]);
    expect(await fates(id)).toEqual(['receipt: no_address']);
    expect(JSON.stringify(await shop.letters())).not.toContain(email);
  });
});

describe('in the dashboard', () => {
  const account = () => ({ merchant: { _id: merchant.id } });

  it('a letter that was not sent is sent again, as staff may do, unless the reason is still there', async () => {
    const { id, email } = await subscribed();
    office.refusal = (to) => ({ code: 550, text: `5.1.1 <${to}> is unknown here` });
    await shop.send();
    office.refusal = () => null;
    const [letter] = await records.find('letters', { where: { resourceId: id }, limit: 1 });
    const [letterId, why] = [letter?._id ?? '', { reason: 'the mailbox is there again' }];
    await staff(http, 'POST', '/letters/resends', { letterId, ...why });
    expect(await shop.send()).toEqual([]);
    expect(await fates(id)).toEqual(['receipt: bounced']);
    await staff(http, 'POST', '/letters/releases', { address: email, ...why });
    const member = await signedIn(http, account(), 'member');
    const again = (caller = member) => caller.call('POST', '/letters/resends', { mode: 'test', letterId });
    expect((await again()).body).toMatchObject({ letters: [{ status: 'queued', stop: null }] });
    expect(await shop.send()).toHaveLength(1);
    const sent = { error: 'Letter is sent; sending it again needs failed or suppressed' };
    expect(await again()).toMatchObject({ status: 409, body: sent });
    expect((await again(await signedIn(http, await http.merchant('A shop'), 'admin'))).status).toBe(404);
  });

  it('the usual language is that of customers whose own is not known', async () => {
    const admin = await signedIn(http, account(), 'admin');
    await admin.call('PATCH', '/letter-settings', { language: 'es' });
    await subscribed();
    const [letter] = await shop.send();
    await admin.call('PATCH', '/letter-settings', { language: null });
    expect(letter?.mail.subject).toContain('Recibo');
  });

  it('a merchant stops the letters to a customer, and no other merchant sees them', async () => {
    const { id, customerId } = await subscribed();
    const member = await signedIn(http, account(), 'member');
    const stop = (isStopped: boolean) => member.call('POST', '/letters/stops', { mode: 'test', customerId, isStopped });
    expect(await stop(true)).toMatchObject({ status: 200, body: { stops: [{ stop: 'merchant', reason: null }] } });
    expect(await shop.send()).toEqual([]);
    expect(await fates(id)).toEqual(['receipt: merchant']);
    expect((await stop(false)).body).toMatchObject({ stops: [], letters: [{ letter: 'receipt', stop: 'merchant' }] });
    const viewer = await signedIn(http, account(), 'viewer');
    expect((await viewer.call('POST', '/letters/stops', { mode: 'test', customerId, isStopped: true })).status).toBe(
      403,
    );
    const stranger = await signedIn(http, await http.merchant('Another shop'), 'admin');
    for (const about of [id, customerId])
      expect((await stranger.call('GET', `/letters?mode=test&about=${about}`)).body).toEqual({
        letters: [],
        stops: [],
      });
    expect((await member.call('GET', `/letters?mode=live&about=${id}`)).body).toEqual({ letters: [], stops: [] });
  });

  it('an admin sets them, and the journal says so', async () => {
    const admin = await signedIn(http, account(), 'admin');
    const set = { live: false, test: true, replyTo: 'a@shop.example.com', reminderDays: 3, language: 'de' };
    expect((await admin.call('PATCH', '/letter-settings', set)).body).toEqual({
      ...{ ...set, summaryTo: null, hasMailServer: true },
    });
    expect((await admin.call('PATCH', '/letter-settings', { reminderDays: 5 })).status).toBe(400);
    expect((await admin.call('PATCH', '/letter-settings', { replyTo: null, reminderDays: 7 })).status).toBe(200);
    expect(JSON.stringify((await admin.call('GET', '/activity')).body)).toContain('Changed the letters');
    const [other] = [await signedIn(http, await http.merchant('A new shop'), 'viewer')];
    expect((await other.call('GET', '/letter-settings')).body).toMatchObject({ live: false, test: false });
    expect((await other.call('PATCH', '/letter-settings', { live: true })).status).toBe(403);
  });
});
