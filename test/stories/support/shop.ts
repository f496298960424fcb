import { Wallet } from 'ethers';
import {
  createClient,
  type Offer,
  type Payment,
  type PricingOption,
  type Tideline,
  TidelineError,
} from 'tideline/client';
import { createMerchant, reinstateMerchant, setLimitFactor, suspendMerchant } from '../../../scripts/lib/staff.ts';
import { TOKEN_KEY } from '../../../stage/sale.ts';
import { until } from '../../../stage/until.ts';
import type { Chain } from './chain.ts';
import { type Inbox, openInbox } from './inbox.ts';
import { checkLedger } from './ledger.ts';
import { Payer } from './payer.ts';
import type { Subscribed } from './subscribed.ts';
import type { Town } from './town.ts';

/** A plan in words; missing fields have the API's defaults. */
export interface Plan {
  readonly price: string;
  readonly every: PricingOption['billing']['interval'];
  readonly trialDays?: number;
  readonly maxCycles?: number;
  readonly maxFailedCycles?: number;
}

/** An offer with one pricing option. */
export interface OnSale {
  readonly offerId: string;
  readonly priceId: string;
}

/** These stories do not test limits. */
const LIMIT_FACTOR = 10_000;

const REASON = 'a story';

/** A merchant: the API with its test key, its webhook inbox, and the acts of its backend. */
export class Shop {
  readonly town: Town;
  readonly id: string;
  readonly api: Tideline;
  readonly inbox: Inbox;
  /** The address that payers approve. */
  readonly operator: string;
  /** The first address of its money, which no other shop has. */
  readonly till: string;
  readonly #subscribed: Subscribed[] = [];

  private constructor(town: Town, parts: Pick<Shop, 'id' | 'api' | 'inbox' | 'operator' | 'till'>) {
    this.town = town;
    this.id = parts.id;
    this.api = parts.api;
    this.inbox = parts.inbox;
    this.operator = parts.operator;
    this.till = parts.till;
  }

  static async open(town: Town): Promise<Shop> {
    const { id, testKey } = await createMerchant(town.staff(), 'A shop');
    await setLimitFactor(town.staff(), id, LIMIT_FACTOR, REASON);
    const api = createClient({ apiKey: testKey, baseUrl: `${town.url}/v1` });
    const inbox = await openInbox(api, () => town.now());
    const till = Wallet.createRandom().address;
    await api.wallets.register({ tokenKey: TOKEN_KEY, receiverWallet: till });
    return new Shop(town, { id, api, inbox, operator: await operatorOf(api), till });
  }

  get chain(): Chain {
    return this.town.chain;
  }

  async sells(plan: Plan, more: { readonly quantity?: number } = {}): Promise<OnSale> {
    const offer = await this.api.offers.create({
      name: 'Coffee Club',
      ...(more.quantity === undefined ? {} : { availableQuantity: more.quantity }),
      pricing: [optionOf(plan)],
    });
    return { offerId: offer.id, priceId: idOfNewest(offer) };
  }

  /** Another price of the same offer. */
  async alsoSells({ offerId }: OnSale, plan: Plan): Promise<OnSale> {
    return { offerId, priceId: idOfNewest(await this.api.offers.addPrice(offerId, optionOf(plan))) };
  }

  /** Waits until so many units are counted as sold, and checks that no more are. */
  async expectSold({ offerId }: OnSale, count: number): Promise<void> {
    await until(
      `${count} of the offer are counted as sold`,
      async () => this.api.offers.get(offerId),
      ({ redeemedCount }) => redeemedCount === count,
    );
  }

  /** A customer whose wallet has so many tokens and no approval. */
  async customer({ has }: { readonly has: string }): Promise<Payer> {
    const wallet = await this.chain.newWallet(has);
    const wallets = [{ chainFamily: 'evm' as const, address: wallet.address }];
    const { id } = await this.api.customers.create({ wallets });
    return new Payer(this, id, wallet);
  }

  /** Replaces the payout address. Resolves with the new one. */
  async changesTill(): Promise<string> {
    const { address } = Wallet.createRandom();
    await this.api.wallets.register({ tokenKey: TOKEN_KEY, receiverWallet: address });
    return address;
  }

  /** Checks all events about its payout wallet. */
  async expectWalletReported(expected: readonly string[]): Promise<void> {
    expect(await this.inbox.reportedOf(TOKEN_KEY, expected.length)).toEqual(expected);
  }

  /** Staff suspend the merchant: its key is refused, and no new pull starts. */
  async isSuspended(): Promise<void> {
    await suspendMerchant(this.town.staff(), this.id, REASON);
  }

  async isReinstated(): Promise<void> {
    await reinstateMerchant(this.town.staff(), this.id, REASON);
  }

  /** Adds a subscription whose events are checked at the end. */
  note(subscribed: Subscribed): void {
    this.#subscribed.push(subscribed);
  }

  /** Throws if an event came that no story expects, or with a wrong signature, or if a payment differs from the chain. */
  async checkBooks(): Promise<void> {
    expect(this.inbox.refused()).toEqual([]);
    for (const each of this.#subscribed) await each.checkReported();
    const payments: Payment[] = [];
    for await (const payment of this.api.payments.all({ status: 'settled' })) payments.push(payment);
    checkLedger(payments, await this.chain.transfers(), this.chain.router);
  }

  async close(): Promise<void> {
    await this.inbox.close();
  }
}

/** The refusal of a call, as `409 Subscription is canceled; …`. Throws if it succeeded. */
export async function refusalOf(call: PromiseLike<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (error instanceof TidelineError) return `${error.status} ${error.message}`;
    throw error;
  }
  throw new Error('this should have been refused, and was not');
}

function optionOf({ price, every, ...limits }: Plan) {
  return {
    amount: price,
    acceptedTokens: [TOKEN_KEY],
    billing: { type: 'recurring' as const, interval: every },
    ...limits,
  };
}

function idOfNewest({ pricing }: Offer): string {
  const newest = pricing.at(-1);
  if (!newest) throw new Error('the offer has no pricing option');
  return newest.id;
}

async function operatorOf({ currencies }: Tideline): Promise<string> {
  const { chains } = await currencies.list();
  const operator = chains.find(({ tokens }) => tokens.some(({ key }) => key === TOKEN_KEY))?.operator;
  if (!operator) throw new Error(`GET /currencies names no operator for ${TOKEN_KEY}`);
  return operator;
}
