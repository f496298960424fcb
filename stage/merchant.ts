import { Wallet } from 'ethers';
import {
  createClient,
  type Offer,
  type Payment,
  type PricingOption,
  type Refund,
  type SendableRefund,
  type Tideline,
  TidelineError,
} from 'tideline/client';
import { createMerchant, setLimitFactor } from '../scripts/lib/staff.ts';
import { expectDeliveries } from './deliveries.ts';
import type { LocalChain } from './local-chain.ts';
import { clientOf, type MerchantClient } from './merchant-client.ts';
import { Payer } from './payer.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import type { OnSale, PaymentFilter, Seller } from './seller.ts';
import type { Setting } from './setting.ts';
import { type Amount, TOKEN_KEY } from './tokens.ts';
import { until } from './until.ts';

type NewPrice = Parameters<Tideline['offers']['addPrice']>[1];

/** A price in words; missing fields have the API's defaults. */
export interface Plan extends Omit<NewPrice, 'amount' | 'billing' | 'acceptedTokens'> {
  readonly price: string;
  readonly every: PricingOption['billing']['interval'];
  /** The keys of the tokens that it accepts. */
  readonly tokens?: readonly string[];
}

type Mode = 'test' | 'live';

/** Stories do not test limits. */
const LIMIT_FACTOR = 10_000;

const REASON = 'a story';

/** What a wallet has from which a merchant refunds. */
const TILL = '1000.00';

/** A merchant: one of its keys, its webhook receiver, and the acts of its backend. */
export class Merchant implements Seller {
  readonly stage: Setting;
  readonly client: MerchantClient;
  readonly mode: Mode;
  readonly receiver: Receiver;
  readonly operator: string;
  /** Its first payout wallet, which no other merchant has. */
  readonly payoutWallet: string;
  readonly payers: Payer[] = [];
  readonly #payoutWallets: string[] = [];
  /** The expected events, by resource. */
  readonly #expected = new Map<string, readonly string[]>();

  private constructor(stage: Setting, parts: Parts) {
    this.stage = stage;
    this.client = parts.client;
    this.mode = parts.mode;
    this.receiver = parts.receiver;
    this.operator = parts.operator;
    this.payoutWallet = parts.payoutWallet;
    this.#payoutWallets.push(parts.payoutWallet);
  }

  /** Makes a merchant with a payout wallet, and a webhook endpoint where webhooks come to this machine. */
  static async signUp(stage: Setting, name: string, mode: Mode = 'test'): Promise<Merchant> {
    const made = await createMerchant(stage.staff(), name);
    await setLimitFactor(stage.staff(), made.id, LIMIT_FACTOR, REASON);
    stage.narrator.add({ at: stage.now().toISOString(), what: `${name} signs up as a merchant` });
    const client = clientOf(() => stage.url, made, stage.fetch);
    return Merchant.#withKey(stage, client, mode);
  }

  /** The same merchant with its other key, and on the chain of that key. */
  inMode(mode: Mode, stage: Setting): Promise<Merchant> {
    return Merchant.#withKey(stage, this.client, mode);
  }

  static async #withKey(stage: Setting, client: MerchantClient, mode: Mode): Promise<Merchant> {
    const api = apiOf(stage, client, mode);
    const receiver = await startReceiver({ now: () => stage.now() });
    stage.onStop(() => receiver.close());
    receiver.onAccepted(({ event, sequence, data }) => {
      const reason = data['reason'];
      stage.narrator.addWebhook({ webhook: event, sequence, ...(typeof reason === 'string' ? { reason } : {}) });
    });
    if (stage.hasWebhooks) {
      await api.webhooks.setEndpoint({ url: receiver.url });
      receiver.setSecret((await api.webhooks.rotateSecret({ scope: 'mode' })).secret, mode);
    }
    const payoutWallet = Wallet.createRandom().address;
    await api.wallets.register({ tokenKey: TOKEN_KEY, receiverWallet: payoutWallet });
    return new Merchant(stage, { client, mode, receiver, payoutWallet, operator: await operatorFor(api, TOKEN_KEY) });
  }

  get id(): string {
    return this.client.id;
  }

  get api(): Tideline {
    return apiOf(this.stage, this.client, this.mode);
  }

  /** Makes an offer with one price. */
  async createOffer(plan: Plan, { name = 'Coffee Club' }: { readonly name?: string } = {}): Promise<OnSale> {
    const offer = await this.api.offers.create({ name, pricing: [optionOf(plan)] });
    this.stage.narrator.add({ what: `Offer: ${name}, every ${plan.every}`, amount: plan.price });
    return { offerId: offer.id, priceId: idOfNewest(offer) };
  }

  async addPrice({ offerId }: OnSale, plan: Plan): Promise<OnSale> {
    const offer = await this.api.offers.addPrice(offerId, optionOf(plan));
    this.stage.narrator.add({ what: `Another price: every ${plan.every}`, amount: plan.price });
    return { offerId, priceId: idOfNewest(offer) };
  }

  /** Makes a customer with a new wallet that has so many tokens and no approval. */
  async createPayer({
    has,
    name = 'Ada',
    ...contact
  }: {
    readonly has: Amount;
    readonly name?: string;
    /** Where letters go. */
    readonly email?: string;
  }): Promise<Payer> {
    const wallet = await this.stage.chain.newWallet(has);
    const wallets = [{ chainFamily: 'evm' as const, address: wallet.address }];
    const { id } = await this.api.customers.create({ name, wallets, ...contact });
    this.stage.narrator.add({ what: `Customer: ${name}` });
    const payer = new Payer(this, { customerId: id, name, wallet });
    this.payers.push(payer);
    return payer;
  }

  /** Replaces the payout wallet by a new one. Resolves with it. */
  async replacePayoutWallet(): Promise<string> {
    const { address } = Wallet.createRandom();
    await this.api.wallets.register({ tokenKey: TOKEN_KEY, receiverWallet: address });
    this.#payoutWallets.push(address);
    return address;
  }

  async payments(filter: PaymentFilter = {}): Promise<Payment[]> {
    const payments: Payment[] = [];
    for await (const payment of this.api.payments.all(filter)) payments.push(payment);
    return payments;
  }

  /** Refunds a part of a payment, or all that is left, from a new wallet. Then the transfer is in a block. */
  refund(paymentId: string, amount?: string): Promise<SendableRefund> {
    return refundFromNewWallet(this.api, this.stage.chain, paymentId, amount);
  }

  /** The refunds of its payments that have settled. */
  async refunds(): Promise<Refund[]> {
    const payments = (await this.payments()).filter(({ refundedAmount }) => refundedAmount !== '0.00');
    const lists = await Promise.all(payments.map(async ({ id }) => (await this.api.payments.refunds(id)).refunds));
    return lists.flat().filter(({ status, source }) => status === 'settled' && source === 'merchant');
  }

  async expectEvents(resource: string, expected: readonly string[]): Promise<void> {
    this.#expected.set(resource, expected);
    const found = await until(
      `${expected.length} events of ${resource} have arrived`,
      () => this.receiver.eventsOf(resource),
      ({ length }) => length >= expected.length,
      { orLast: true },
    );
    this.stage.expect.equal(`Exactly the expected webhooks of ${resource} arrive`, found, expected);
  }

  /** Checks that no event has come after those that were expected, and that every delivery had a valid signature. */
  expectNoFurtherEvents(): void {
    const { expect } = this.stage;
    expect.equal('Every webhook is signed with the secret', [...this.receiver.refused], []);
    for (const [resource, expected] of this.#expected) {
      expect.equal(`No other webhook of ${resource} arrives`, this.receiver.eventsOf(resource), expected);
    }
  }

  /** The same, and that nothing else than its payout wallets, payers and subscriptions has sent an event. */
  expectNoOtherEvents(): void {
    const events = {
      [TOKEN_KEY]: this.#payoutWallets.map(() => 'wallet.updated'),
      ...Object.fromEntries(this.payers.map(({ customerId }) => [customerId, ['customer.created']])),
      ...Object.fromEntries(this.#expected),
    };
    expectDeliveries(this.receiver, events, this.stage.expect);
  }
}

/** As `Merchant.refund`, for any client of the API. */
export async function refundFromNewWallet(
  { payments }: Tideline,
  chain: LocalChain,
  paymentId: string,
  amount?: string,
): Promise<SendableRefund> {
  const till = await chain.newWallet(TILL);
  const from = { fromWallet: till.address, idempotencyKey: `from ${till.address}` };
  const refund = await payments.refund(paymentId, { amount, ...from });
  for (const transaction of refund.transactions ?? []) {
    if (transaction.family !== 'evm') throw new Error(`a transaction for ${transaction.family}`);
    await chain.send(till, { to: transaction.to, data: transaction.data });
  }
  return refund;
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

type Parts = Pick<Merchant, 'client' | 'mode' | 'receiver' | 'operator' | 'payoutWallet'>;

function apiOf({ url, fetch }: Setting, { testKey, liveKey }: MerchantClient, mode: Mode): Tideline {
  return createClient({ apiKey: mode === 'live' ? liveKey : testKey, baseUrl: `${url}/v1`, fetch });
}

function optionOf({ price, every, tokens = [TOKEN_KEY], ...limits }: Plan) {
  return {
    amount: price,
    acceptedTokens: [...tokens],
    billing: { type: 'recurring' as const, interval: every },
    ...limits,
  };
}

function idOfNewest({ pricing }: Offer): string {
  const newest = pricing.at(-1);
  if (!newest) throw new Error('the offer has no price');
  return newest.id;
}

/** The address that payers of a token approve for payments and subscriptions that the merchant makes by the API. */
export async function operatorFor({ currencies }: Tideline, tokenKey: string): Promise<string> {
  const { chains } = await currencies.list();
  const operator = chains.find(({ tokens }) => tokens.some(({ key }) => key === tokenKey))?.operator;
  if (!operator) throw new Error(`GET /currencies names no operator for ${tokenKey}`);
  return operator;
}
