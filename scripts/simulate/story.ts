import type { Random } from '../crashtest/random.ts';
import type { SimEvm } from './evm/node.ts';
import type { Merchant } from './merchant.ts';
import { type Payer, type Shop, TOKEN_KEY } from './shop.ts';
import type { VirtualTime } from './time.ts';

/** What the service has acknowledged, and must keep. */
export interface Acknowledged {
  /** Ids of subscriptions, by the key that they were asked for under. */
  readonly subscriptions: Map<string, string>;
  /** Ids of one-off payments and what each is to charge, base units. */
  readonly payments: Map<string, bigint>;
  /** Subscriptions whose cancellation at once has been answered. */
  readonly canceled: Set<string>;
  /** Subscriptions whose variables have been set, and the last that was answered. */
  readonly variables: Map<string, number>;
  /** Customers whose deletion has been answered. */
  readonly deleted: Set<string>;
}

export interface StoryDeps {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly evm: SimEvm;
  readonly merchant: Merchant;
  readonly shop: Shop;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const BY = 'api';

/** Everything that the merchant and its payers do in a run: who wants what when is drawn at its beginning. */
export class Story {
  readonly acknowledged: Acknowledged = {
    subscriptions: new Map(),
    payments: new Map(),
    canceled: new Set(),
    variables: new Map(),
    deleted: new Set(),
  };
  readonly #deps: StoryDeps;
  /** When the things are to be done that have not been begun. */
  readonly #moments = new Set<number>();
  #underWay = 0;
  #asked = 0;
  readonly end: number;

  constructor(deps: StoryDeps) {
    this.#deps = deps;
    const { random, time, shop } = deps;
    // Who waits for a unit looks every hour: such a run is as long as others in steps.
    this.end = time.now + (shop.sellsOut ? random.integer(2, 4) : random.integer(5, 20)) * DAY_MS;
    for (const payer of shop.payers) {
      this.#at(random.integer(0, DAY_MS), () => this.#subscribe(payer));
      if (random.next() < 0.5) this.#at(this.#sometime(), () => this.#pay(payer));
      if (random.next() < 0.2) this.#at(this.#sometime(), () => this.#payByTransfer(payer));
      if (random.next() < 0.4) this.#shortage(payer);
    }
    const others = random.integer(1, 3);
    for (let index = 0; index < others; index += 1) this.#at(this.#sometime(), () => this.#something());
  }

  /** When the next thing is going to be done, which may be late by now; null: there is none. */
  get next(): number | null {
    return this.#moments.size === 0 ? null : Math.min(...this.#moments);
  }

  /** True while somebody waits for an answer. */
  get isUnderWay(): boolean {
    return this.#underWay > 0;
  }

  /** Everything that stands in a payment's way is taken away, and what is live is canceled: nothing is to be left open. */
  async close(): Promise<void> {
    const { evm, shop } = this.#deps;
    evm.refuse(shop.payout, false);
    evm.pause(false);
    for (const id of this.acknowledged.subscriptions.values()) await this.#cancelNow(id);
  }

  #sometime(): number {
    return this.#deps.random.integer(DAY_MS, this.end - this.#deps.time.now);
  }

  /** Counted from now. */
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

  async #subscribe({ customerId }: Payer): Promise<void> {
    const { merchant, shop, random } = this.#deps;
    this.#asked += 1;
    const idempotencyKey = `subscription-${this.#asked}`;
    const priceId = random.pick(shop.priceIds);
    const told = await merchant.insist(idempotencyKey, ({ subscriptions }) =>
      subscriptions.create(shop.tenant, {
        priceId,
        customerId,
        offerId: null,
        tokenKey: TOKEN_KEY,
        customVariables: {},
        affiliate: null,
        idempotencyKey,
        requestHash: idempotencyKey,
      }),
    );
    if (told.kind === 'answered') this.acknowledged.subscriptions.set(idempotencyKey, told.value.resource.id);
  }

  async #pay({ wallet, customerId }: Payer): Promise<void> {
    const { merchant, shop, random } = this.#deps;
    this.#asked += 1;
    const idempotencyKey = `payment-${this.#asked}`;
    const amount = BigInt(random.integer(1, 20_000_000));
    const told = await merchant.insist(idempotencyKey, ({ payments }) =>
      payments.create(shop.tenant, {
        ...this.#payment(idempotencyKey, amount),
        fromWallet: wallet,
        paymentMethod: 'wallet_connect',
        customerId,
        refundWallet: null,
      }),
    );
    if (told.kind === 'answered') this.acknowledged.payments.set(told.value.resource.id, amount);
  }

  /** A payment to an address of its own: the payer sends what is asked for as soon as the address is known. */
  async #payByTransfer({ wallet }: Payer): Promise<void> {
    const { merchant, shop, random, evm } = this.#deps;
    this.#asked += 1;
    const idempotencyKey = `transfer-${this.#asked}`;
    const amount = BigInt(random.integer(1_000_000, 20_000_000));
    const told = await merchant.insist(idempotencyKey, ({ payments }) =>
      payments.create(shop.tenant, {
        ...this.#payment(idempotencyKey, amount),
        fromWallet: null,
        paymentMethod: 'wallet_transfer',
        customerId: null,
        refundWallet: wallet,
      }),
    );
    if (told.kind !== 'answered') return;
    const { id, deposit } = told.value.resource;
    this.acknowledged.payments.set(id, amount);
    if (deposit === null) throw new Error(`${id} was answered without its deposit address`);
    this.#at(random.integer(0, 10 * MINUTE_MS), () => {
      // A wallet of its own, which no shortage befalls: nothing but time may come between.
      const sender = evm.stranger();
      evm.mint(sender, amount);
      evm.transfer(sender, deposit.address, amount);
    });
  }

  #payment(idempotencyKey: string, amount: bigint) {
    const { shop, evm } = this.#deps;
    const { chainId } = evm.world;
    return {
      tokenKey: TOKEN_KEY,
      chainId,
      family: 'evm',
      amount,
      toWallet: shop.payout,
      idempotencyKey,
      affiliate: null,
      metadata: {},
      requestHash: idempotencyKey,
    } as const;
  }

  /** For some days a payer has no allowance, no money, or a wallet from which nothing can be taken. */
  #shortage({ wallet }: Payer): void {
    const { random, evm, shop } = this.#deps;
    const { merchantId } = shop.tenant;
    const from = this.#sometime();
    const until = from + random.integer(1, 9 * 24) * (DAY_MS / 24);
    const kind = random.pick(['allowance', 'balance', 'frozen'] as const);
    switch (kind) {
      case 'allowance':
        this.#at(from, () => void evm.approve(wallet, merchantId, 0n));
        this.#at(until, () => void evm.approve(wallet, merchantId, 10n ** 12n));
        return;
      case 'balance':
        this.#at(from, () => void evm.transfer(wallet, evm.world.owner, evm.balanceOf(wallet)));
        this.#at(until, () => void evm.mint(wallet, 10n ** 12n));
        return;
      case 'frozen':
        this.#at(from, () => void evm.freeze(wallet, true));
        this.#at(until, () => void evm.freeze(wallet, false));
        return;
      default: {
        const never: never = kind;
        throw new Error(`unknown shortage ${String(never)}`);
      }
    }
  }

  async #something(): Promise<void> {
    const { random, evm, shop, merchant } = this.#deps;
    const ids = [...this.acknowledged.subscriptions.values()];
    const id = ids.length === 0 ? null : random.pick(ids);
    const kind = random.pick(['cancel', 'cancel at end', 'retry', 'resume', 'variables', 'delete', 'refuse'] as const);
    if (kind === 'refuse') {
      evm.refuse(shop.payout, true);
      this.#at(random.integer(1, 48) * (DAY_MS / 24), () => void evm.refuse(shop.payout, false));
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
        const told = await merchant.insist(`set ${id} to ${value}`, ({ subscriptions }) =>
          subscriptions.replaceVariables(shop.tenant, id, { value }, BY),
        );
        if (told.kind === 'answered') this.acknowledged.variables.set(id, value);
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
    const told = await merchant.insist(`delete ${customerId}`, ({ customers }) =>
      customers.remove(shop.tenant, customerId),
    );
    if (told.kind === 'answered') this.acknowledged.deleted.add(customerId);
  }

  async #cancelNow(id: string): Promise<void> {
    const { merchant, shop } = this.#deps;
    const told = await merchant.insist(`cancel ${id}`, ({ subscriptions }) =>
      subscriptions.cancel(shop.tenant, id, { atPeriodEnd: false }, BY),
    );
    if (told.kind !== 'nothing') this.acknowledged.canceled.add(id);
  }
}
