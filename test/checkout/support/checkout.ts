import { type HDNodeWallet, Wallet } from 'ethers';
import { z } from 'zod';
import { setBranding } from '../../../src/billing/administration/branding.ts';
import { type FaultHook, noFaults } from '../../../src/engine/faults.ts';
import { brandingView } from '../../../src/http/branding.ts';
import { cyclePaymentId } from '../../../src/model/payment.ts';
import type { ActorDoc } from '../../../src/store/documents.ts';
import type { InProcessService } from '../../../stage/in-process-service.ts';
import type { ScriptedChain } from '../../../stage/scripted-chain.ts';
import { challengeSchema, type SignableChallenge, type Signer, signChallenge } from '../../../stage/sign-challenge.ts';
import { offerBody } from '../../support/bodies.ts';
import { type HttpHarness, type HttpOptions, idOf, priceIdOf, type Reply } from '../../support/http.ts';
import { MerchantOverHttp } from '../../support/merchant-over-http.ts';
import { pngFile } from '../../support/png.ts';

/** The signing wallet of a page. */
export type Payer = Signer;

/** A pricing option that a page sells. */
export interface OnSale {
  readonly merchant: MerchantOverHttp;
  readonly offerId: string;
  readonly priceId: string;
}

export const ONE_TIME = { amount: '25', acceptedTokens: ['usdc-local-evm'], billing: { type: 'one_time' } } as const;

const challengeReply = challengeSchema.extend({ nonce: z.string(), expiresAt: z.string() });

const transferReply = z.object({ deposit: z.object({ address: z.string() }) });

/** The API of the checkout pages, on a scripted chain. */
export class CheckoutOverHttp {
  readonly http: HttpHarness;
  readonly billing: InProcessService;
  readonly chain: ScriptedChain;
  /** The fault hook of the process; it may throw. */
  onFault: FaultHook = noFaults;
  #keys = 0;

  private constructor({ http, billing, chain }: MerchantOverHttp) {
    this.http = http;
    this.billing = billing;
    this.chain = chain;
  }

  static async start(): Promise<CheckoutOverHttp> {
    const built: { checkout?: CheckoutOverHttp } = {};
    const fault: FaultHook = async (point, detail) => built.checkout?.onFault(point, detail);
    const change: HttpOptions['change'] = (deps) => ({ ...deps, config: { ...deps.config, trustProxyHops: 1 } });
    built.checkout = new CheckoutOverHttp(await MerchantOverHttp.open({ fault, change }));
    return built.checkout;
  }

  /** A merchant with a payout wallet and without a fee. */
  async merchant(name = 'Acme'): Promise<MerchantOverHttp> {
    const merchant = await MerchantOverHttp.signUp(this.http, this.chain, name);
    await merchant.setPayoutWallet();
    return merchant;
  }

  /** Gives a merchant a logo and an accent colour, and returns them as pages get them. */
  async brand({ id }: MerchantOverHttp) {
    const change = { logo: pngFile(8, 8), accentColor: '#ffee88' };
    const order = { by: 'member:Ada', reason: 'a test' };
    return brandingView(await setBranding(this.http.deps, id, change, order));
  }

  /** By a new merchant, unless one is given. */
  async offer(change: object = {}, seller: MerchantOverHttp | null = null): Promise<OnSale> {
    const merchant = seller ?? (await this.merchant());
    const offer = await merchant.post('/offers', offerBody(change));
    return { merchant, offerId: idOf(offer), priceId: priceIdOf(offer) };
  }

  oneTime(change: object = {}, seller: MerchantOverHttp | null = null): Promise<OnSale> {
    return this.offer({ name: 'Course', pricing: [ONE_TIME], ...change }, seller);
  }

  /** A subscription that the merchant has made for a new customer, and the token of its link. */
  async linked(sale: OnSale, customer: object = {}) {
    const { merchant, priceId } = sale;
    const customerId = idOf(await merchant.post('/customers', customer));
    const made = await merchant.post('/subscriptions', { customerId, priceId });
    return { ...sale, customerId, id: idOf(made), token: linkTokenIn(made) };
  }

  newPayer(): HDNodeWallet {
    return Wallet.createRandom();
  }

  newKey(): string {
    this.#keys += 1;
    return `session-key-of-a-page-${this.#keys}`;
  }

  /** `from`: what a proxy writes about its client; absent: no proxy is between. */
  post(path: string, body: object, from?: string): Promise<Reply> {
    const headers = from === undefined ? {} : { 'X-Forwarded-For': from };
    return this.http.send('POST', `/checkout/api${path}`, { body, headers });
  }

  get(path: string): Promise<Reply> {
    return this.http.send('GET', `/checkout/api${path}`);
  }

  /** `wish`: what else it is about, such as a token, a quantity or a coupon. */
  async challenge({ offerId, priceId }: OnSale, address: string, wish: object = {}) {
    const { status, body } = await this.post(`/offers/${offerId}/challenges`, { address, priceId, ...wish });
    if (status !== 201) throw new Error(`no challenge: ${status} ${JSON.stringify(body)}`);
    return challengeReply.parse(body);
  }

  /** The request of a page after its wallet has signed. */
  async signed(sale: OnSale, payer: Payer, change: object = {}, wish: object = {}) {
    const challenge = await this.challenge(sale, payer.address, wish);
    const signed = await answerOf(payer, challenge);
    return { priceId: sale.priceId, ...wish, ...signed, sessionKey: this.newKey(), ...change };
  }

  /** The request of the page of a link after its wallet has signed. */
  async signedLink(token: string, payer: Payer) {
    const { status, body } = await this.post(`/authorizations/${token}/challenges`, { address: payer.address });
    if (status !== 201) throw new Error(`no challenge: ${JSON.stringify(body)}`);
    return answerOf(payer, challengeSchema.parse(body));
  }

  async authorize(token: string, payer: Payer): Promise<Reply> {
    return this.post(`/authorizations/${token}`, await this.signedLink(token, payer));
  }

  async subscribe(sale: OnSale, payer: Payer, change: object = {}, wish: object = {}): Promise<Reply> {
    return this.post(`/offers/${sale.offerId}/subscriptions`, await this.signed(sale, payer, change, wish));
  }

  async pay(sale: OnSale, payer: Payer, change: object = {}, wish: object = {}): Promise<Reply> {
    return this.post(`/offers/${sale.offerId}/payments`, await this.signed(sale, payer, change, wish));
  }

  /** A page that requests an address for a transfer. `from`: what the proxy writes about its client. */
  async transfer(sale: OnSale, change: object = {}, from?: string) {
    const sessionKey = this.newKey();
    const body = { priceId: sale.priceId, paymentMethod: 'wallet_transfer', sessionKey, ...change };
    const reply = await this.post(`/offers/${sale.offerId}/payments`, body, from);
    const address = transferReply.safeParse(reply.body).data?.deposit.address ?? '';
    return { sessionKey, body, reply, address, poll: () => this.get(`/sessions/${sessionKey}`) };
  }

  /** A log of the address finds the transfer, as without any page. */
  async arrives(to: string, amount: bigint): Promise<void> {
    this.chain.sent.push({ to, amount });
    await this.billing.watcher.walletsChanged(31_337, [to.toLowerCase()]);
    await this.billing.quiet();
  }

  subscriptions({ merchant }: Pick<OnSale, 'merchant'>): Promise<ActorDoc[]> {
    return this.http.store.actors.find('subscription', { where: { merchantId: merchant.id }, limit: 100 });
  }

  payments({ merchant }: Pick<OnSale, 'merchant'>): Promise<ActorDoc[]> {
    return this.http.store.actors.find('payment', {
      where: { merchantId: merchant.id },
      sort: [['createdAt', 1]],
      limit: 100,
    });
  }

  customers({ merchant }: Pick<OnSale, 'merchant'>) {
    return this.http.store.records.find('customers', { where: { merchantId: merchant.id }, limit: 100 });
  }

  /** The units of an offer that are sold, and the number of reservations. */
  async stock({ offerId }: OnSale): Promise<unknown> {
    const [offer] = await this.http.store.records.get('offers', [offerId]);
    return [offer?.redeemedCount, offer?.holds.length];
  }

  /** Dispatches to due actors, and lets everything happen that follows from it. */
  async wake(kind: 'subscription' | 'payment'): Promise<void> {
    await this.billing.engine.dispatchDue(kind);
    await this.billing.quiet();
  }

  /** The first charge of a subscription is due, and settles. */
  async payFirstCycle(subscriptionId: string): Promise<void> {
    await this.wake('subscription');
    await this.chain.charges.settle(cyclePaymentId(subscriptionId, 1));
  }

  later(ms: number): void {
    this.http.later(ms);
  }
}

async function answerOf(payer: Payer, challenge: SignableChallenge) {
  const { message } = challenge;
  return { address: payer.address, message, signature: await signChallenge(payer, challenge) };
}

/** The token of the authorization link in a reply; '' if there is none. */
export function linkTokenIn({ body }: Reply): string {
  return /authorize\/([\w-]{43})/.exec(JSON.stringify(body))?.[1] ?? '';
}
