import type { Random } from '../crashtest/random.ts';
import type { Merchant } from './merchant.ts';
import type { Payer, Shop } from './shop.ts';
import type { Till } from './simulated-chain.ts';
import type { VirtualTime } from './time.ts';

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

export interface StoryDeps {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly merchant: Merchant;
  readonly shop: Shop;
  /** True if an offer in the run sells out. A payer who waits for a unit tries every hour, so the run must be short. */
  readonly isBrief: boolean;
}

const MINUTE_MS = 60_000;
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
  readonly #deps: StoryDeps;
  /** The times of actions that have not started. */
  readonly #moments = new Set<number>();
  #underWay = 0;
  #asked = 0;
  readonly end: number;

  constructor(deps: StoryDeps) {
    this.#deps = deps;
    const { random, time, shop, isBrief } = deps;
    this.shop = shop;
    this.end = time.now + (isBrief ? random.integer(2, 4) : random.integer(5, 20)) * DAY_MS;
    for (const payer of shop.payers) {
      this.#at(random.integer(0, DAY_MS), () => this.#subscribe(payer));
      if (random.next() < 0.5) this.#at(this.#sometime(), () => this.#pay(payer));
      if (random.next() < 0.2) this.#at(this.#sometime(), () => this.#payByTransfer(payer));
      if (random.next() < 0.4) this.#shortage(payer);
    }
    const others = random.integer(1, 3);
    for (let index = 0; index < others; index += 1) this.#at(this.#sometime(), () => this.#something());
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
    for (const { place, payout } of this.#deps.shop.tills) place.controls.refuse(payout, false);
    for (const id of this.acknowledged.subscriptions.values()) await this.#cancelNow(id);
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

  async #subscribe({ customerId, till }: Payer): Promise<void> {
    const { merchant, shop, random } = this.#deps;
    this.#asked += 1;
    const idempotencyKey = `subscription-${this.#asked}`;
    const priceId = random.pick(shop.priceIds);
    const reported = await merchant.insist(idempotencyKey, ({ subscriptions }) =>
      subscriptions.create(shop.tenant, {
        priceId,
        customerId,
        offerId: null,
        tokenKey: till.place.tokenKey,
        customVariables: {},
        affiliate: null,
        idempotencyKey,
        requestHash: idempotencyKey,
      }),
    );
    if (reported.kind === 'answered') this.acknowledged.subscriptions.set(idempotencyKey, reported.value.resource.id);
    if (reported.kind === 'refused' && reported.isAfterSilence) this.acknowledged.unsure.add(idempotencyKey);
  }

  async #pay({ wallet, customerId, till }: Payer): Promise<void> {
    const { merchant, shop, random } = this.#deps;
    this.#asked += 1;
    const idempotencyKey = `payment-${this.#asked}`;
    const amount = BigInt(random.integer(1, 20_000_000));
    const reported = await merchant.insist(idempotencyKey, ({ payments }) =>
      payments.create(shop.tenant, {
        ...paymentAt(till, idempotencyKey, amount),
        fromWallet: wallet,
        paymentMethod: 'wallet_connect',
        customerId,
        refundWallet: null,
      }),
    );
    if (reported.kind === 'answered') this.acknowledged.payments.set(reported.value.resource.id, amount);
  }

  /**
   * Pays by transfer: the payer sends the requested amount to the deposit address, or something else. Every third one names no
   * refund wallet.
   */
  async #payByTransfer({ wallet, till }: Payer): Promise<void> {
    const { merchant, shop, random } = this.#deps;
    this.#asked += 1;
    const idempotencyKey = `transfer-${this.#asked}`;
    const amount = BigInt(random.integer(1_000_000, 20_000_000));
    const reported = await merchant.insist(idempotencyKey, ({ payments }) =>
      payments.create(shop.tenant, {
        ...paymentAt(till, idempotencyKey, amount),
        fromWallet: null,
        paymentMethod: 'wallet_transfer',
        customerId: null,
        refundWallet: this.#asked % 3 === 0 ? null : wallet,
      }),
    );
    if (reported.kind !== 'answered') return;
    const { id, deposit } = reported.value.resource;
    this.acknowledged.payments.set(id, amount);
    if (deposit === null) throw new Error(`${id} was answered without its deposit address`);
    for (const sent of random.pick(SENDINGS)) {
      // Mostly in time, otherwise after the deadline.
      this.#at(random.integer(0, random.pick([10, 10, 10, 180]) * MINUTE_MS), () => {
        const { controls } = till.place;
        // A separate wallet, so that no shortage affects it.
        const sender = controls.stranger();
        controls.mint(sender, sent(amount));
        this.#at(SOON_MS, () => controls.transfer(sender, deposit.address, sent(amount)));
      });
    }
  }

  /** For some days the payer lacks an allowance or money, or its wallet is frozen. */
  #shortage({ wallet, till }: Payer): void {
    const { random, shop } = this.#deps;
    const { merchantId } = shop.tenant;
    const { controls } = till.place;
    const from = this.#sometime();
    const until = from + random.integer(1, 9 * 24) * (DAY_MS / 24);
    const kind = random.pick(['allowance', 'balance', 'frozen'] as const);
    switch (kind) {
      case 'allowance':
        this.#at(from, () => controls.approve(wallet, { merchantId, isBounded: false }, 0n));
        this.#at(until, () => controls.approve(wallet, { merchantId, isBounded: false }, 10n ** 12n));
        return;
      case 'balance':
        this.#at(from, () => controls.spendAll(wallet));
        this.#at(until, () => controls.mint(wallet, 10n ** 12n));
        return;
      case 'frozen':
        this.#at(from, () => controls.freeze(wallet, true));
        this.#at(until, () => controls.freeze(wallet, false));
        return;
      default: {
        const never: never = kind;
        throw new Error(`unknown shortage ${String(never)}`);
      }
    }
  }

  async #something(): Promise<void> {
    const { random, shop, merchant } = this.#deps;
    const ids = [...this.acknowledged.subscriptions.values()];
    const id = ids.length === 0 ? null : random.pick(ids);
    const kind = random.pick(['cancel', 'cancel at end', 'retry', 'resume', 'variables', 'delete', 'refuse'] as const);
    if (kind === 'refuse') {
      const { place, payout } = random.pick(shop.tills);
      place.controls.refuse(payout, true);
      this.#at(random.integer(1, 48) * (DAY_MS / 24), () => place.controls.refuse(payout, false));
      return;
    }
    if (id === null) return;
    switch (kind) {
      case 'cancel':
        return this.#cancelNow(id);
      case 'cancel at end':
        await merchant.insist(`cancel ${id} at its end`, ({ subscriptions }) =>
          subscriptions.cancel(shop.tenant, id, { atPeriodEnd: true }, BY),
        );
        return;
      case 'retry':
        await merchant.ask(`retry ${id}`, ({ subscriptions }) => subscriptions.retry(shop.tenant, id, BY));
        return;
      case 'resume':
        await merchant.ask(`resume ${id}`, ({ subscriptions }) => subscriptions.resume(shop.tenant, id, BY));
        return;
      case 'variables': {
        const value = random.integer(1, 1_000);
        const reported = await merchant.insist(`set ${id} to ${value}`, ({ subscriptions }) =>
          subscriptions.replaceVariables(shop.tenant, id, { value }, BY),
        );
        if (reported.kind === 'answered') this.acknowledged.variables.set(id, value);
        return;
      }
      case 'delete':
        return this.#delete(random.pick(shop.payers).customerId);
      default: {
        const never: never = kind;
        throw new Error(`unknown action ${String(never)}`);
      }
    }
  }

  async #delete(customerId: string): Promise<void> {
    const { merchant, shop } = this.#deps;
    const reported = await merchant.insist(`delete ${customerId}`, ({ customers }) =>
      customers.remove(shop.tenant, customerId),
    );
    if (reported.kind === 'answered') this.acknowledged.deleted.add(customerId);
  }

  async #cancelNow(id: string): Promise<void> {
    const { merchant, shop } = this.#deps;
    const reported = await merchant.insist(`cancel ${id}`, ({ subscriptions }) =>
      subscriptions.cancel(shop.tenant, id, { atPeriodEnd: false }, BY),
    );
    if (reported.kind !== 'nothing') this.acknowledged.canceled.add(id);
  }
}

function paymentAt({ place, payout }: Till, idempotencyKey: string, amount: bigint) {
  const { tokenKey, chainId, family } = place;
  return {
    tokenKey,
    chainId,
    family,
    amount,
    toWallet: payout,
    idempotencyKey,
    affiliate: null,
    metadata: {},
    requestHash: idempotencyKey,
  } as const;
}
