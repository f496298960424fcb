import { deleteCustomer } from '../../src/billing/customers/changes.ts';
import { createPayment } from '../../src/billing/payments/payments.ts';
import { registerWallet } from '../../src/billing/payout/wallets.ts';
import { changePayer } from '../../src/billing/subscriptions/change-payer.ts';
import { type MigrateSubscription, migrateSubscription } from '../../src/billing/subscriptions/migrate.ts';
import { resumeSubscription } from '../../src/billing/subscriptions/resume.ts';
import { retrySubscription } from '../../src/billing/subscriptions/retry.ts';
import {
  cancelSubscription,
  createSubscription,
  replaceVariables,
} from '../../src/billing/subscriptions/subscriptions.ts';
import { paymentContextOf } from '../../src/model/payment.ts';
import type { Random } from '../crashtest/random.ts';
import { Coupons } from './coupons.ts';
import type { ActingDeps } from './merchant.ts';
import { Page } from './page.ts';
import { Pauses } from './pauses.ts';
import { Quantities } from './quantities.ts';
import { Refunds } from './refunds.ts';
import { GRANTED, type Payer, paymentAt, type Shop } from './shop.ts';
import type { Till } from './simulated-chain.ts';
import { Usage } from './usage.ts';

/** Acknowledgements of the service, which it must keep. */
export interface Acknowledged {
  /** Ids of subscriptions, by their idempotency keys. */
  readonly subscriptions: Map<string, string>;
  /** Idempotency keys of refused subscriptions whose earlier call had no answer: the subscription may exist. */
  readonly unsure: Set<string>;
  /** Ids of one-off payments with their amounts, base units. */
  readonly payments: Map<string, bigint>;
  /** Subscriptions whose immediate cancellation was acknowledged. */
  readonly canceled: Set<string>;
  /** Subscriptions with the last acknowledged value of their variables. */
  readonly variables: Map<string, number>;
  /** Customers whose deletion was acknowledged. */
  readonly deleted: Set<string>;
}

export interface StoryDeps extends ActingDeps, Specialities {
  /** True if an offer in the run sells out. A payer who waits for a unit tries every hour, so the run must be short. */
  readonly isBrief: boolean;
}

/** Prices per unit or by use, changes of the plan at once, …: each with its random numbers. Null: the run has none. */
type Specialities = Readonly<
  Record<'refunds' | 'quantities' | 'pauses' | 'coupons' | 'usage' | 'changes', Random | null>
>;

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** After this time a transaction is usually in a block, so that another wallet can build on it. */
const SOON_MS = 5_000;
const BY = 'api';

type Sending = (asked: bigint) => bigint;
const exact: Sending = (asked) => asked;
const less: Sending = (asked) => asked - 1n;
const more: Sending = (asked) => asked + 2_000_000n;
/** The transfers that arrive at a deposit address. */
const SENDINGS: readonly (readonly Sending[])[] = [
  [exact],
  [exact],
  [exact],
  [more],
  [less],
  [less, exact],
  [exact, exact],
];

/** All actions of a merchant and its payers in a run. They are drawn at its beginning. */
export class Story {
  readonly acknowledged: Acknowledged = {
    subscriptions: new Map(),
    unsure: new Set(),
    payments: new Map(),
    canceled: new Set(),
    variables: new Map(),
    deleted: new Set(),
  };
  readonly shop: Shop;
  readonly refunds: Refunds;
  readonly quantities: Quantities;
  readonly pauses: Pauses;
  readonly coupons: Coupons;
  readonly usage: Usage;
  /** The payers, and the wallets to which they changed. */
  readonly payers: Payer[];
  readonly page: Page;
  /** The agreements that payers have revoked on chain. */
  readonly revoked = new Set<string>();
  /** The authorization links of subscriptions, by their ids. */
  readonly #links = new Map<string, { readonly token: string; readonly payer: Payer }>();
  /** The payout wallets that replaced those of the tills. */
  readonly newPayouts: { readonly till: Till; readonly wallet: string }[] = [];
  /** Wallets that have approved the operator for mandates. */
  readonly #bounded = new Set<string>();
  readonly #deps: StoryDeps;
  /** The times of actions that have not started. */
  readonly #moments = new Set<number>();
  #underWay = 0;
  #asked = 0;
  readonly end: number;

  constructor(deps: StoryDeps) {
    this.#deps = deps;
    const { random, time, shop, isBrief, refunds, quantities, usage, changes, pauses, coupons } = deps;
    this.shop = shop;
    this.refunds = new Refunds({ ...deps, random: refunds ?? random });
    this.quantities = new Quantities({ ...deps, random: quantities ?? random });
    this.pauses = new Pauses({ ...deps, random: pauses ?? random });
    this.coupons = new Coupons({ ...deps, random: coupons });
    this.usage = new Usage({ ...deps, random: usage ?? random });
    this.payers = [...shop.payers];
    this.page = new Page(deps.merchant, random);
    this.end = time.now + (isBrief ? random.integer(2, 4) : random.integer(5, 20)) * DAY_MS;
    for (const payer of shop.payers) {
      if (payer.signs) this.#bounded.add(payer.wallet);
      this.#at(random.integer(0, DAY_MS), () => this.#subscribe(payer));
      if (payer.signs && random.next() < 0.3) this.#at(this.#sometime(), () => this.#subscribe(payer));
      if (payer.signs && random.next() < 0.5) this.#at(this.#sometime(), () => this.#buy(payer));
      if (random.next() < (payer.signs ? 0.15 : 0.5)) this.#at(this.#sometime(), () => this.#pay(payer));
      if (random.next() < 0.2) this.#at(this.#sometime(), () => this.#payByTransfer(payer));
      if (random.next() < 0.4) this.#shortage(payer);
    }
    const others = random.integer(1, 3);
    for (let index = 0; index < others; index += 1) this.#at(this.#sometime(), () => this.#something());
    const consents = random.integer(1, 4);
    for (let index = 0; index < consents; index += 1) this.#at(this.#sometime(), () => this.#consent());
    for (let left = refunds?.integer(1, 6) ?? 0; refunds !== null && left > 0; left -= 1)
      this.#at(refunds.integer(DAY_MS, this.end - time.now), () => this.refunds.act());
    if (quantities !== null) this.#changeQuantities(quantities);
    if (pauses !== null) this.#often(pauses, [4, 12], (id) => this.#pause(id, pauses));
    if (usage !== null) this.#often(usage, [3, 60], (id) => this.usage.act(id));
    if (changes !== null) this.#often(changes, [3, 12], (id) => this.#changeNow(id, changes));
  }

  /** Pauses a subscription some hours before its next charge, if one comes; the merchant ends most pauses. */
  async #pause(id: string, random: Random): Promise<void> {
    const due = (await this.quantities.untilDue(id)) ?? 0;
    const isInTime = this.#deps.time.now + due < this.end;
    const begins = isInTime ? Math.max(0, due - random.integer(1, 12) * HOUR_MS) : 0;
    this.#at(begins, () => this.pauses.begin(id));
    if (random.next() < 0.8) this.#at(begins + random.integer(1, 96) * HOUR_MS, () => this.pauses.resume(id));
  }

  /** Acts on subscriptions at drawn moments, about so often. */
  #often(random: Random, [least, most]: readonly [number, number], act: (id: string) => Promise<void>): void {
    for (let left = random.integer(least, most); left > 0; left -= 1)
      this.#at(random.integer(HOUR_MS, this.end - this.#deps.time.now), () => this.#onAny(this.#ids, act, random));
  }

  /** The subscriptions that the merchant knows. */
  get #ids(): string[] {
    return [...this.acknowledged.subscriptions.values()];
  }

  /** Some changes come when a cycle falls due. A payer may sign up again for another quantity, or approve little. */
  #changeQuantities(random: Random): void {
    const { time, shop } = this.#deps;
    const sometime = () => random.integer(HOUR_MS, this.end - time.now);
    this.#often(random, [3, 10], async (id) => {
      const due = random.next() < 0.5 ? await this.quantities.untilDue(id) : null;
      if (due === null || due < 0 || time.now + due > this.end) return this.quantities.change(id);
      this.#at(Math.max(0, due + random.integer(-2_000, 20_000)), () => this.quantities.change(id));
    });
    for (const payer of shop.payers) {
      if (payer.signs && random.next() < 0.5) this.#at(sometime(), () => this.#checkOut(payer));
      if (random.next() < 0.4) this.#approveLittle(payer, BigInt(random.integer(1, 20)), sometime());
    }
  }

  /** For some time the wallet approves so many units of the cheaper price. */
  #approveLittle(payer: Payer, units: bigint, from: number): void {
    this.#at(from, () => this.#approve(payer, units * 1_750_000n));
    this.#at(from + 2 * DAY_MS, () => this.#approve(payer, GRANTED));
  }

  /** The wallet approves the operator that charges it. */
  #approve({ wallet, till: { chain } }: Payer, amount: bigint): void {
    const { merchantId } = this.#deps.shop.tenant;
    chain.controls.approve(wallet, { merchantId, isBounded: this.#bounded.has(wallet) }, amount);
  }

  /** The time of the next action, which may have passed; null: no action is left. */
  get next(): number | null {
    return this.#moments.size === 0 ? null : Math.min(...this.#moments);
  }

  /** True while an action waits for an answer. */
  get isUnderWay(): boolean {
    return this.#underWay > 0;
  }

  /** Removes all obstacles to payments and cancels live subscriptions, so that everything can end. */
  async close(): Promise<void> {
    for (const { chain, payout } of this.#deps.shop.tills) chain.controls.refuse(payout, false);
    for (const id of this.#ids) await this.#cancelNow(id);
  }

  #sometime(): number {
    return this.#deps.random.integer(DAY_MS, this.end - this.#deps.time.now);
  }

  /** Schedules an action, `ms` from now. */
  #at(ms: number, act: () => Promise<void> | void): void {
    const { time } = this.#deps;
    const moment = time.now + ms;
    this.#moments.add(moment);
    time.in(ms, () => {
      this.#moments.delete(moment);
      this.#underWay += 1;
      void Promise.resolve(act()).finally(() => {
        this.#underWay -= 1;
      });
    });
  }

  #subscribe(payer: Payer): Promise<void> {
    return payer.signs ? this.#checkOut(payer) : this.#subscribeByApi(payer);
  }

  async #checkOut(payer: Payer): Promise<void> {
    const { shop, random } = this.#deps;
    const sale = random.pick(shop.sales);
    const quantity = this.quantities.drawn(sale.priceId);
    const note = this.quantities.begin(quantity);
    const coupon = (await this.coupons.drawn())?.code ?? null;
    const { idempotencyKey, reported } = await this.page.open('subscription', payer, { ...sale, quantity, coupon });
    if (reported.kind === 'refused' && reported.isAfterSilence) this.acknowledged.unsure.add(idempotencyKey);
    const id = reported.kind === 'answered' ? (reported.value.outcome.subscription?._id ?? null) : null;
    note(reported, id);
    if (id !== null) this.acknowledged.subscriptions.set(idempotencyKey, id);
  }

  /** Buys once, and reads the outcome some time later. */
  async #buy(payer: Payer): Promise<void> {
    const { shop, random } = this.#deps;
    const coupon = await this.coupons.drawn();
    const bought = { ...shop.once, coupon: coupon?.code ?? null };
    const from = this.coupons.lapses() ? { ...payer, wallet: payer.till.chain.controls.payer() } : payer;
    const { sessionKey, idempotencyKey, reported } = await this.page.open('payment', from, bought);
    this.coupons.bought.set(idempotencyKey, coupon);
    if (reported.kind !== 'answered') return;
    this.#at(random.integer(1, 30) * MINUTE_MS, async () => {
      await this.page.session(sessionKey);
    });
  }

  /** Acts on one of these, if there is any. */
  async #onAny(ids: readonly string[], act: (id: string) => unknown, random = this.#deps.random): Promise<void> {
    if (ids.length > 0) await act(random.pick(ids));
  }

  /** A consent changes: a link is signed, new terms are offered, or an agreement is revoked. */
  #consent(): Promise<void> | void {
    const linked = [...this.#links.keys()];
    const sign = () => this.#onAny(linked, (id) => this.#signLink(id));
    const migrate = () => this.#onAny(this.#ids, (id) => this.#migrate(id));
    const act = this.#deps.random.pick([
      sign,
      sign,
      () => this.#onAny(linked, (id) => this.#changeWallet(id)),
      migrate,
      migrate,
      () => this.#revoke(),
      () => this.#replacePayout(),
    ]);
    return act();
  }

  async #signLink(id: string): Promise<void> {
    const { token, payer } = this.#linkOf(id);
    await this.#sign(token, payer);
  }

  #linkOf(id: string) {
    const link = this.#links.get(id);
    if (link === undefined) throw new Error(`${id} has no link`);
    return link;
  }

  /** The payer approves the operator for mandates before or after it signs. */
  async #sign(token: string, payer: Payer): Promise<void> {
    if (!this.#bounded.has(payer.wallet)) {
      this.#bounded.add(payer.wallet);
      this.#at(this.#deps.random.integer(0, 10 * MINUTE_MS), () => this.#approve(payer, GRANTED));
    }
    await this.page.authorize(token, payer);
  }

  /** Another wallet signs a link by which the merchant confirms the change. */
  async #changeWallet(id: string): Promise<void> {
    const { merchant, shop } = this.#deps;
    const reported = await merchant.insist(`another payer of ${id}`, ({ billing }) =>
      changePayer(billing, shop.tenant, id),
    );
    if (reported.kind !== 'answered') return;
    const { till, customerId } = this.#linkOf(id).payer;
    const wallet = till.chain.controls.payer();
    const payer: Payer = { till, customerId, wallet, signs: true };
    this.payers.push(payer);
    const token = reported.value;
    this.#links.set(id, { token, payer });
    till.chain.controls.mint(wallet, GRANTED);
    this.#at(SOON_MS, () => this.#sign(token, payer));
  }

  async #migrate(id: string): Promise<void> {
    const { shop, random } = this.#deps;
    const to = random.pick(shop.sales.flatMap(({ priceId, otherPriceId }) => [priceId, otherPriceId, otherPriceId]));
    const token = await this.#requestTerms(id, to, {});
    if (token !== null) this.#signTerms(id, token, random.integer(0, 3 * DAY_MS));
  }

  /** To the other option of the subscription's offer, which the merchant finds by the answers. */
  async #changeNow(id: string, random: Random): Promise<void> {
    for (const to of this.#deps.shop.sales.flatMap(({ priceId, otherPriceId }) => [priceId, otherPriceId])) {
      const token = await this.#requestTerms(id, to, { when: 'now', proration: 'credit' });
      if (token !== null) return this.#signTerms(id, token, random.integer(0, HOUR_MS));
    }
  }

  /** The token of the link; null: it is refused. */
  async #requestTerms(id: string, priceId: string, how: Pick<MigrateSubscription, 'when' | 'proration'>) {
    const { merchant, shop } = this.#deps;
    const note = this.quantities.beginMigration(id);
    const reported = await merchant.insist(`migrate ${id}`, ({ billing }) =>
      migrateSubscription(billing, shop.tenant, id, { priceId, tokenKey: null, newPayer: true, ...how }, BY),
    );
    note(reported);
    return reported.kind === 'answered' ? reported.value.authorizationToken : null;
  }

  #signTerms(id: string, token: string, ms: number): void {
    const payer = this.#links.get(id)?.payer ?? this.#deps.random.pick(this.payers);
    this.#at(ms, () => this.#sign(token, payer));
  }

  async #replacePayout(): Promise<void> {
    const { merchant, random, shop } = this.#deps;
    const till = random.pick(shop.tills);
    const wallet = till.chain.controls.stranger();
    this.newPayouts.push({ till, wallet });
    await merchant.insist(`register ${wallet}`, ({ billing }) =>
      registerWallet(billing, shop.tenant, { tokenKey: till.chain.tokenKey, receiverWallet: wallet }),
    );
  }

  #revoke(): void {
    const { random, shop } = this.#deps;
    const { signed } = this.page;
    if (signed.length === 0) return;
    const { payer, chain, agreement } = random.pick(signed);
    if (agreement === null) return;
    this.revoked.add(agreement);
    chain.controls.revoke(payer, shop.tenant.merchantId, agreement);
  }

  async #subscribeByApi(payer: Payer): Promise<void> {
    const { merchant, shop, random } = this.#deps;
    const { customerId, till } = payer;
    this.#asked += 1;
    const idempotencyKey = `subscription-${this.#asked}`;
    const { priceId } = random.pick(shop.sales);
    const quantity = this.quantities.drawn(priceId);
    const note = this.quantities.begin(quantity);
    const couponId = (await this.coupons.drawn())?.id ?? null;
    const reported = await merchant.insist(idempotencyKey, ({ billing }) =>
      createSubscription(billing, shop.tenant, {
        priceId,
        customerId,
        offerId: null,
        tokenKey: till.chain.tokenKey,
        quantity,
        couponId,
        customVariables: {},
        affiliate: null,
        idempotencyKey,
        requestHash: idempotencyKey,
      }),
    );
    note(reported, reported.kind === 'answered' ? reported.value.resource.doc._id : null);
    if (reported.kind === 'answered') {
      const { doc, authorizationToken: token } = reported.value.resource;
      const id = doc._id;
      this.acknowledged.subscriptions.set(idempotencyKey, id);
      if (token !== null) this.#links.set(id, { token, payer });
    }
    if (reported.kind === 'refused' && reported.isAfterSilence) this.acknowledged.unsure.add(idempotencyKey);
  }

  async #pay({ wallet, customerId, till }: Payer): Promise<void> {
    const { merchant, shop, random } = this.#deps;
    this.#asked += 1;
    const idempotencyKey = `payment-${this.#asked}`;
    const amount = BigInt(random.integer(1, 20_000_000));
    const reported = await merchant.insist(idempotencyKey, ({ billing }) =>
      createPayment(billing, shop.tenant, {
        ...paymentAt(till, idempotencyKey, amount),
        fromWallet: wallet,
        paymentMethod: 'wallet_connect',
        customerId,
        refundWallet: null,
      }),
    );
    if (reported.kind === 'answered') this.acknowledged.payments.set(reported.value.resource._id, amount);
  }

  /** Sends the requested amount to the deposit address, or another. Every third names no refund wallet. */
  async #payByTransfer({ wallet, till }: Payer): Promise<void> {
    const { merchant, shop, random } = this.#deps;
    this.#asked += 1;
    const idempotencyKey = `transfer-${this.#asked}`;
    const amount = BigInt(random.integer(1_000_000, 20_000_000));
    const reported = await merchant.insist(idempotencyKey, ({ billing }) =>
      createPayment(billing, shop.tenant, {
        ...paymentAt(till, idempotencyKey, amount),
        fromWallet: null,
        paymentMethod: 'wallet_transfer',
        customerId: null,
        refundWallet: this.#asked % 3 === 0 ? null : wallet,
      }),
    );
    if (reported.kind !== 'answered') return;
    const { _id: id } = reported.value.resource;
    const { deposit } = paymentContextOf(reported.value.resource);
    this.acknowledged.payments.set(id, amount);
    if (deposit === null) throw new Error(`${id} was answered without its deposit address`);
    for (const sent of random.pick(SENDINGS)) {
      // Mostly in time, otherwise after the deadline.
      this.#at(random.integer(0, random.pick([10, 10, 10, 180]) * MINUTE_MS), () => {
        const { controls } = till.chain;
        // A separate wallet, so that no shortage affects it.
        const sender = controls.stranger();
        controls.mint(sender, sent(amount));
        this.#at(SOON_MS, () => controls.transfer(sender, deposit.address, sent(amount)));
      });
    }
  }

  /** For some days the payer lacks an allowance or money, or its wallet is frozen. */
  #shortage(payer: Payer): void {
    const { random } = this.#deps;
    const { wallet, till } = payer;
    const { controls } = till.chain;
    const from = this.#sometime();
    const until = from + random.integer(1, 9 * 24) * HOUR_MS;
    const [begin, end] = random.pick<readonly [begin: () => void, end: () => void]>([
      [() => this.#approve(payer, 0n), () => this.#approve(payer, GRANTED)],
      [() => controls.spendAll(wallet), () => controls.mint(wallet, GRANTED)],
      [() => controls.freeze(wallet, true), () => controls.freeze(wallet, false)],
    ]);
    this.#at(from, begin);
    this.#at(until, end);
  }

  /** One action of the merchant, most of them about any subscription that it knows. */
  async #something(): Promise<void> {
    const { random, shop, merchant } = this.#deps;
    const { tenant } = shop;
    const ids = this.#ids;
    const id = ids.length === 0 ? null : random.pick(ids);
    const about = (act: (known: string) => Promise<unknown>) => async () => {
      if (id !== null) await act(id);
    };
    const act = random.pick<() => unknown>([
      about((known) => this.#cancelNow(known)),
      about((known) => {
        this.pauses.ends(known);
        return merchant.insist(`cancel ${known} at its end`, ({ billing }) =>
          cancelSubscription(billing, tenant, known, { atPeriodEnd: true }, BY),
        );
      }),
      about((known) => merchant.ask(`retry ${known}`, ({ billing }) => retrySubscription(billing, tenant, known, BY))),
      about((known) => {
        this.pauses.ends(known);
        return merchant.ask(`resume ${known}`, ({ billing }) => resumeSubscription(billing, tenant, known, BY));
      }),
      about((known) => this.#replaceVariables(known)),
      about(() => this.#delete(random.pick(shop.payers).customerId)),
      () => this.#refusePayouts(),
    ]);
    await act();
  }

  /** For some days nobody can pay to a till's payout wallet. */
  #refusePayouts(): void {
    const { random, shop } = this.#deps;
    const { chain, payout } = random.pick(shop.tills);
    chain.controls.refuse(payout, true);
    this.#at(random.integer(1, 48) * HOUR_MS, () => chain.controls.refuse(payout, false));
  }

  async #replaceVariables(id: string): Promise<void> {
    const { random, shop, merchant } = this.#deps;
    const value = random.integer(1, 1_000);
    const reported = await merchant.insist(`set ${id} to ${value}`, ({ billing }) =>
      replaceVariables(billing, shop.tenant, id, { value }, BY),
    );
    if (reported.kind === 'answered') this.acknowledged.variables.set(id, value);
  }

  async #delete(customerId: string): Promise<void> {
    const { merchant, shop } = this.#deps;
    const reported = await merchant.insist(`delete ${customerId}`, ({ billing }) =>
      deleteCustomer(billing, shop.tenant, customerId),
    );
    if (reported.kind === 'answered') this.acknowledged.deleted.add(customerId);
  }

  /** The use of a metered price is charged once more, also after a pause. */
  async #cancelNow(id: string): Promise<void> {
    const { merchant, shop } = this.#deps;
    this.pauses.ends(id);
    const reported = await merchant.insist(`cancel ${id}`, ({ billing }) =>
      cancelSubscription(billing, shop.tenant, id, { atPeriodEnd: false }, BY),
    );
    if (reported.kind !== 'nothing') this.acknowledged.canceled.add(id);
  }
}

/** The stories of all merchants of a run, as one. */
export class Stories {
  readonly all: readonly Story[];

  constructor(all: readonly Story[]) {
    this.all = all;
  }

  get end(): number {
    return Math.max(...this.all.map(({ end }) => end));
  }

  /** The time of the next action, which may have passed; infinite: no action is left. */
  get next(): number {
    return Math.min(...this.all.map(({ next }) => next ?? Number.POSITIVE_INFINITY));
  }

  get isUnderWay(): boolean {
    return this.all.some(({ isUnderWay }) => isUnderWay);
  }

  async close(): Promise<void> {
    for (const story of this.all) await story.close();
  }
}
