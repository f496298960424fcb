import { authorizationSchema } from '../../src/checkout/wire.ts';
import { PORTAL_HEADER } from '../../src/portal/endpoint.ts';
import { apiOfLink } from '../authorize.ts';
import { morningOf } from '../calendar.ts';
import type { Stage } from '../stage.ts';
import { FIRST_CHARGE, type Story } from '../story.ts';
import type { StagedSubscription } from '../subscription.ts';
import { inTokens, units } from '../tokens.ts';
import { until } from '../until.ts';
import { Bookkeeper, INDENT } from './business/bookkeeper.ts';

const SEATS = { every: 'month', model: 'per_unit', maxQuantity: 8 } as const;
const CALLS = { price: '0.01', every: 'month', model: 'metered', includedUnits: 100, capAmount: '10.00' } as const;
const EMAIL = 'ada@example.com';
const PAID = ['payment.pulled', 'payment.succeeded'];

/** A customer's first months at a shop: sold, discounted, credited, refunded and paused, with all documents. */
export const business: Story = {
  name: 'business',
  title: 'A shop with seats, usage and a coupon, its invoices and its letters',
  hasLetters: true,
  run: async (stage) => {
    const shop = await openShop(stage);
    const scene = { ...shop, ...(await subscribe(shop)) };
    const upgraded = await takeLargerPlan(scene);
    await refundDay(scene, upgraded.id);
    await chargeUsageAndSeats(scene);
    await pauseWeek(scene);
    await passCap(scene);
    await expectAll(scene, upgraded.amount);
  },
};

type Shop = Awaited<ReturnType<typeof openShop>>;
type Scene = Shop & Awaited<ReturnType<typeof subscribe>>;

async function openShop(stage: Stage) {
  const merchant = await stage.createMerchant('Lantern');
  const { api } = merchant;
  await api.webhooks.setEndpoint({ extraEvents: true });
  const books = await Bookkeeper.open(stage, merchant);
  const seats = await merchant.createOffer({ ...SEATS, price: '10.00' }, { name: 'Lantern Teams' });
  await api.offers.update(seats.offerId, { pause: { byCustomer: true } });
  note(stage, 'for each seat, 8 seats at most');
  const larger = await merchant.addPrice(seats, { ...SEATS, price: '20.00' });
  const calls = await merchant.createOffer(CALLS, { name: 'Lantern API' });
  note(stage, 'for each call; 100 calls of a month are free, and a charge is never above 10.00');
  const { id: couponId } = await api.coupons.create({ code: 'WELCOME25', percentOff: '25', cycles: 2 });
  stage.narrator.add({ what: 'Coupon: WELCOME25' });
  note(stage, '25 % off two charges');
  const ada = await merchant.createPayer({ name: 'Ada', has: '500.00', email: EMAIL });
  return { stage, merchant, books, ada, seats, larger, calls, couponId };
}

/** Ada subscribes: `team` are the seats, `meter` the calls. */
async function subscribe({ stage, books, ada, seats, calls, couponId }: Shop) {
  const { expect, narrator } = stage;
  narrator.chapter('3 seats, with the coupon');
  const team = await ada.subscribe(seats, { on: '2028-01-05', quantity: 3, couponId });
  const { terms, outcome } = await pageOf(team.link);
  const { quantity = 0 } = terms.units ?? {};
  const full = inTokens(units(terms.amount) * BigInt(quantity));
  expect.equal('The page has both prices', [full, outcome.subscription?.discount?.charge], ['30.00', '22.50']);
  note(
    stage,
    `her page: ${quantity} × ${terms.amount} = ${full}, with WELCOME25 ${outcome.subscription?.discount?.charge}`,
  );
  await ada.sign(team.link);
  const most = (await pageOf(team.link)).mandate?.perCharge;
  expect.equal('She signs the full price of all seats as the most of a charge', most, '80.00');
  note(stage, `she signs the most of a charge: 8 seats without the coupon, ${most}`);
  const meter = await ada.subscribe(calls, { on: '2028-01-05' });
  note(stage, 'to the API: each month is charged after it, so nothing now');
  await ada.sign(meter.link);
  await books.untilInvoicing();
  await ada.approve('500.00');
  await team.expectStatus('active', { paid: 1, until: '2028-02-05' });
  await books.expectInvoice(team, '3 × Lantern Teams: 30.00', 'WELCOME25: -7.50');
  await books.expectLetters(paidLetter('22.50'));
  await meter.expectAuthorized();
  await meter.expectStatus('pending', { paid: 0 });
  return { team, meter };
}

/** Resolves with the payment of the upgrade. */
async function takeLargerPlan({ stage, merchant, books, ada, team, larger }: Scene) {
  const { expect, narrator } = stage;
  const { subscriptions } = merchant.api;
  narrator.chapter('One seat more, and the larger plan in the middle of the month');
  await team.advanceToMorning('2028-01-12');
  await subscriptions.changeQuantity(team.id, { quantity: 4 });
  narrator.add({ at: morningOf('2028-01-12'), what: '4 seats from the next charge on' });
  await books.expectLetters('For Lantern Teams at Lantern you now pay 4 × 10.00 USD every month.');
  await team.advanceToMorning('2028-01-20');
  const change = { priceId: larger.priceId, when: 'now', proration: 'credit' } as const;
  const { authorizationUrl } = await subscriptions.migrate(team.id, change);
  narrator.add({ at: morningOf('2028-01-20'), what: 'Ada asks for the larger plan' });
  const { quote } = await pageOf(authorizationUrl);
  note(
    stage,
    `her page: 4 × 20.00 less 25 %, less a credit of ${quote?.credit}, is ${quote?.now}; later ${quote?.later}`,
  );
  await ada.sign(authorizationUrl);
  await team.expectStatus('active', { paid: 2, failures: 0 });
  const [first, upgraded] = await team.payments();
  const [start, end, at] = [msOf(first?.periodStart), msOf(first?.periodEnd), msOf(upgraded?.periodStart)];
  const credit = (units('22.50') * (end - at)) / (end - start);
  const amount = inTokens(units('60.00') - credit);
  expect.equal(
    'The credit is the unused part of 22.50, to the base unit',
    [upgraded?.credit?.amount, upgraded?.discount?.amount, upgraded?.amount],
    [inTokens(credit), '20.00', amount],
  );
  const seconds = units(quote?.credit ?? '0') - credit;
  const isAsQuoted = seconds >= 0n && seconds < units('0.001') && quote?.later === '80.00';
  expect.equal('It is what the page quoted, but for the seconds until she signed', isAsQuoted, true);
  await books.expectInvoice(team, '4 × Lantern Teams: 80.00', 'WELCOME25: -20.00', `credit: -${inTokens(credit)}`);
  await books.expectLetters(paidLetter(amount), 'For Lantern Teams at Lantern you now pay 4 × 20.00 USD every month.');
  return { id: upgraded?.id ?? '', amount };
}

async function refundDay({ stage, merchant, books, ada, team }: Scene, paymentId: string): Promise<void> {
  stage.narrator.chapter('A day without service: the shop gives a part back');
  await team.advanceToMorning('2028-01-27');
  await merchant.refund(paymentId, '12.00');
  const refundedAmount = async () => (await merchant.api.payments.get(paymentId)).refundedAmount;
  await until('the refund is settled', refundedAmount, (amount) => amount === '12.00');
  stage.narrator.add({ at: morningOf('2028-01-27'), what: 'The shop refunds from its wallet', amount: '12.00' });
  await books.expectCreditNote(paymentId, 'Lantern Teams: 12.00');
  await books.expectLetters(`Lantern has sent 12.00 USDC back to ${ada.address}.`);
}

async function chargeUsageAndSeats(scene: Scene): Promise<void> {
  const { stage, team, meter } = scene;
  stage.narrator.chapter('A month of calls, and a month of seats without the coupon');
  await use(scene, 600, '2028-01-31');
  await meter.advanceTo('2028-02-01');
  await meter.expectStatus('active', { paid: 1 });
  await expectDocuments(scene, meter, '600 × Lantern API', '5.00');
  await expectReminder(scene, '2028-02-13', 'February 20, 2028');
  await team.advanceTo('2028-02-20');
  await team.expectStatus('active', { paid: 3 });
  await expectDocuments(scene, team, '4 × Lantern Teams', '80.00');
}

async function pauseWeek({ stage, merchant, ada, team }: Scene): Promise<void> {
  const { expect, narrator } = stage;
  narrator.chapter('A week of holidays');
  await team.advanceToMorning('2028-02-21');
  const before = (await team.view()).currentPeriodEnd;
  const { url } = await merchant.api.customers.createPortalSession(ada.customerId);
  const portal = await portalAt(stage.url, url);
  await portal(`/subscriptions/${team.id}/pause`, { until: null });
  narrator.add({ at: morningOf('2028-02-21'), what: 'Ada pauses the seats', status: 'paused' });
  await team.advanceToMorning('2028-02-28');
  await portal(`/subscriptions/${team.id}/resume`);
  const after = (await team.view()).currentPeriodEnd;
  narrator.add({ at: morningOf('2028-02-28'), what: 'Ada returns', status: 'active' });
  note(
    stage,
    `what she has paid for lasts a week longer: to ${after?.slice(0, 10)} in place of ${before?.slice(0, 10)}`,
  );
  expect.equal('The paid month ends a week later', [before, after].map(dayIn), ['2028-03-20', '2028-03-27']);
}

async function passCap(scene: Scene): Promise<void> {
  const { stage, merchant, team, meter } = scene;
  const { expect, narrator } = stage;
  narrator.chapter('More calls than the cap');
  const { chargeAmount, level, ...used } = await use(scene, 2_000, '2028-02-29');
  expect.equal('The cap is passed', [used.amount, chargeAmount, level], ['19.00', '10.00', 190]);
  note(stage, `they cost ${used.amount}; her mandate allows ${chargeAmount}, and the next charge has the rest`);
  await meter.advanceTo('2028-03-01');
  await meter.expectStatus('active', { paid: 2 });
  const { carriedAmount } = await merchant.api.subscriptions.usage(meter.id);
  expect.equal('What is above the cap is carried', carriedAmount, '9.00');
  note(stage, `the cap; ${carriedAmount} is carried`);
  await expectDocuments(scene, meter, '2000 × Lantern API', '10.00');
  await expectReminder(scene, '2028-03-20', 'March 27, 2028');
  await team.advanceTo('2028-03-27');
  await team.expectStatus('active', { paid: 4 });
  await expectDocuments(scene, team, '4 × Lantern Teams', '80.00');
  await meter.advanceTo('2028-04-01');
  await meter.expectStatus('active', { paid: 3 });
  await expectDocuments(scene, meter, 'Lantern API', '9.00');
}

/** All events, payments, documents and letters, in the end. */
async function expectAll({ books, ada, team, meter }: Scene, upgrade: string): Promise<void> {
  await team.expectEvents([
    'subscription.created',
    ...['payment.pulled', ...FIRST_CHARGE.slice(1)],
    'subscription.quantity_changed',
    ...[...PAID, 'subscription.migrated'],
    'payment.refunded',
    ...PAID,
    ...['subscription.paused', 'subscription.resumed'],
    ...PAID,
  ]);
  await meter.expectEvents([
    ...['subscription.created', 'subscription.trialing'],
    ...['payment.pulled', ...FIRST_CHARGE.slice(1)],
    ...['subscription.usage_threshold', 'subscription.usage_threshold'],
    ...PAID,
    // The carried amount is 90 % of the cap.
    ...['subscription.usage_threshold', ...PAID],
  ]);
  await ada.expectPaid(['22.50', upgrade, '5.00', '80.00', '10.00', '80.00', '9.00']);
  await books.expectSums(ada);
  books.expectAllLetters(12, EMAIL);
}

function note({ narrator }: Stage, text: string): void {
  narrator.line(`${INDENT}${text}`, 'note');
}

/** Records calls on this day. Resolves with the usage of the month. */
async function use({ stage, merchant, meter }: Scene, quantity: number, on: string) {
  const { subscriptions } = merchant.api;
  await meter.advanceToMorning(on);
  await subscriptions.recordUsage(meter.id, { quantity, idempotencyKey: on });
  stage.narrator.add({ at: morningOf(on), what: `Ada has made ${quantity} calls` });
  return subscriptions.usage(meter.id);
}

/** Advances to a week before the next charge of the seats. */
async function expectReminder({ stage, books, team }: Scene, date: string, chargeDay: string): Promise<void> {
  await team.advanceTo(date);
  stage.narrator.add({ at: morningOf(date), what: 'A week before the next charge' });
  await books.expectLetters(
    `On ${chargeDay}, Lantern takes 80.00 USDC from your wallet for Lantern Teams. You need to do nothing.`,
  );
}

/** The invoice of the last charge, with this one line, and its letter. */
async function expectDocuments({ books }: Scene, of: StagedSubscription, what: string, amount: string): Promise<void> {
  await books.expectInvoice(of, `${what}: ${amount}`);
  await books.expectLetters(paidLetter(amount));
}

function paidLetter(amount: string): string {
  return `You have paid ${amount} USDC to Lantern. Thank you.`;
}

/** What the page of a link shows. */
async function pageOf(link: string) {
  return authorizationSchema.parse(await (await fetch(apiOfLink(link))).json());
}

function msOf(moment: string | null | undefined): bigint {
  return BigInt(Date.parse(moment ?? ''));
}

function dayIn(moment: string | null | undefined): string {
  return moment?.slice(0, 10) ?? '';
}

/** A customer in the portal, by a link of the shop. */
async function portalAt(base: string, link: string) {
  let cookie = '';
  const post = async (path: string, body: object = {}) => {
    const headers = { [PORTAL_HEADER]: '1', 'Content-Type': 'application/json', cookie };
    const answer = await fetch(`${base}/portal/api${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`the portal refuses ${path}: ${answer.status} ${await answer.text()}`);
    [cookie = cookie] = answer.headers.getSetCookie().map((each) => each.split(';')[0] ?? '');
  };
  await post('/session/link', { token: new URLSearchParams(new URL(link).hash.slice(1)).get('session') });
  return post;
}
