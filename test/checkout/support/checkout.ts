import { type HDNodeWallet, Wallet } from 'ethers';
import { z } from 'zod';
import { setBranding } from '../../../src/billing/administration/branding.ts';
import { type FaultHook, noFaults } from '../../../src/engine/faults.ts';
import { brandingView } from '../../../src/http/branding.ts';
import type { ActorDoc } from '../../../src/store/documents.ts';
import type { InProcessService } from '../../../stage/in-process-service.ts';
import { type ScriptedChain, scriptedChain } from '../../../stage/scripted-chain.ts';
import { challengeSchema, type Signer, signChallenge } from '../../../stage/sign-challenge.ts';
import { BOB, offerBody } from '../../support/bodies.ts';
import { type HttpHarness, type Reply, startHttp } from '../../support/http.ts';
import { pngFile } from '../../support/png.ts';

/** The signing wallet of a page. */
export type Payer = Signer;

export interface Shop {
  readonly merchantId: string;
  readonly key: string;
}

export interface OnSale extends Shop {
  readonly offerId: string;
  readonly priceId: string;
}

export const ONE_TIME = { amount: '25', acceptedTokens: ['usdc-local-evm'], billing: { type: 'one_time' } } as const;

const offerReply = z.object({ id: z.string(), pricing: z.array(z.object({ id: z.string() })) });
const challengeReply = challengeSchema.extend({ nonce: z.string(), expiresAt: z.string() });

/** The real checkout over a chain with the balances and allowances of the test. */
export class TestCheckout {
  readonly http: HttpHarness;
  readonly billing: InProcessService;
  readonly chain: ScriptedChain;
  /** The fault hook of the process; it may throw. */
  onFault: FaultHook = noFaults;
  #keys = 0;

  private constructor(http: HttpHarness, chain: ScriptedChain) {
    this.http = http;
    this.billing = http.billing;
    this.chain = chain;
  }

  static async start(): Promise<TestCheckout> {
    const chain = scriptedChain();
    const built: { checkout?: TestCheckout } = {};
    const fault: FaultHook = async (point, detail) => built.checkout?.onFault(point, detail);
    const http = await startHttp({ chains: [chain], fault });
    built.checkout = new TestCheckout(http, chain);
    return built.checkout;
  }

  /** A merchant with a payout wallet and without a fee. */
  async shop(name = 'Acme'): Promise<Shop> {
    const { merchant, testKey: key } = await this.http.merchant(name);
    await this.http.store.records.change('merchants', merchant._id, {}, { set: { feeBps: 0 } });
    await this.http.call('POST', '/wallets', { key, body: { tokenKey: 'usdc-local-evm', receiverWallet: BOB } });
    return { merchantId: merchant._id, key };
  }

  /** Gives a merchant a logo and an accent colour, and returns them as pages get them. */
  async brand({ merchantId }: Shop) {
    const change = { logo: pngFile(8, 8), accentColor: '#ffee88' };
    const order = { by: 'member:Ada', reason: 'a test' };
    return brandingView(await setBranding(this.http.deps, merchantId, change, order));
  }

  async offer(change: object = {}, shop: Shop | null = null): Promise<OnSale> {
    const seller = shop ?? (await this.shop());
    const reply = await this.http.call('POST', '/offers', { key: seller.key, body: offerBody(change) });
    const { id, pricing } = offerReply.parse(reply.body);
    return { ...seller, offerId: id, priceId: pricing[0]?.id ?? '' };
  }

  oneTime(change: object = {}, shop: Shop | null = null): Promise<OnSale> {
    return this.offer({ name: 'Course', pricing: [ONE_TIME], ...change }, shop);
  }

  newPayer(): HDNodeWallet {
    return Wallet.createRandom();
  }

  newKey(): string {
    this.#keys += 1;
    return `session-key-of-a-page-${this.#keys}`;
  }

  post(path: string, body: object): Promise<Reply> {
    return this.http.send('POST', `/checkout/api${path}`, { body });
  }

  get(path: string): Promise<Reply> {
    return this.http.send('GET', `/checkout/api${path}`);
  }

  async challenge({ offerId, priceId }: OnSale, address: string): Promise<z.output<typeof challengeReply>> {
    const { status, body } = await this.post(`/offers/${offerId}/challenges`, { address, priceId });
    if (status !== 201) throw new Error(`no challenge: ${status} ${JSON.stringify(body)}`);
    return challengeReply.parse(body);
  }

  /** The request of a page after its wallet has signed. */
  async signed(sale: OnSale, payer: Payer, change: object = {}) {
    const challenge = await this.challenge(sale, payer.address);
    const { priceId } = sale;
    const signature = await signChallenge(payer, challenge);
    return {
      priceId,
      address: payer.address,
      message: challenge.message,
      signature,
      sessionKey: this.newKey(),
      ...change,
    };
  }

  async subscribe(sale: OnSale, payer: Payer, change: object = {}): Promise<Reply> {
    return this.post(`/offers/${sale.offerId}/subscriptions`, await this.signed(sale, payer, change));
  }

  async pay(sale: OnSale, payer: Payer, change: object = {}): Promise<Reply> {
    return this.post(`/offers/${sale.offerId}/payments`, await this.signed(sale, payer, change));
  }

  subscriptions({ merchantId }: Shop): Promise<ActorDoc[]> {
    return this.http.store.actors.find('subscription', { where: { merchantId }, limit: 100 });
  }

  payments({ merchantId }: Shop): Promise<ActorDoc[]> {
    return this.http.store.actors.find('payment', { where: { merchantId }, sort: [['createdAt', 1]], limit: 100 });
  }

  customers({ merchantId }: Shop) {
    return this.http.store.records.find('customers', { where: { merchantId }, limit: 100 });
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

  /** The chain settles the payment in flight. */
  async chainSettles(id: string): Promise<void> {
    const at = { attempt: 1, hashes: HASHES, block: { number: 1, hash: '0xb1' } } as const;
    await this.#send(id, { type: 'charge.started', attempt: 1, round: 0, toWallet: BOB });
    await this.#send(id, { type: 'charge.final', ...at });
  }

  async chainRefuses(id: string, reason: 'insufficient_allowance' | 'insufficient_balance' | 'pull_reverted') {
    await this.#send(id, { type: 'charge.refused', attempt: 1, round: 0, reason });
  }

  async #send(id: string, event: Parameters<InProcessService['engine']['dispatch']>[0]['event']): Promise<void> {
    const result = await this.billing.engine.dispatch({ kind: 'payment', id, event, by: 'chain' });
    if (result.kind !== 'taken') throw new Error(`${id} does not take ${event.type}: ${result.kind}`);
    await this.billing.quiet();
  }

  later(ms: number): void {
    this.http.now = new Date(this.http.now.getTime() + ms);
  }
}

const HASHES = {
  pullTxHash: '0xaa',
  forwardTxHash: '0xaa',
  platformTransferTxHash: null,
  distributeTxHash: null,
} as const;
