import { Wallet } from 'ethers';
import { cyclePaymentId } from '../../../src/model/payment.ts';
import { subscriptionContextOf } from '../../../src/model/subscription.ts';
import type { ActorDoc } from '../../../src/store/documents.ts';
import type { InProcessService } from '../../../stage/in-process-service.ts';
import { PLENTY, scriptedChain } from '../../../stage/scripted-chain.ts';
import { BOB, monthly, offerBody } from '../../support/bodies.ts';
import { type HttpHarness, idOf, priceIdOf, type Reply, startHttp } from '../../support/http.ts';
import { REASON, staff } from './staff.ts';

const READY = { ready: true } as const;

/** Real machines over HTTP on a scripted chain, with the staff's views. */
export class Desk {
  readonly http: HttpHarness;
  readonly billing: InProcessService;
  key = '';
  merchantId = '';
  #hashes = 0;

  private constructor(http: HttpHarness) {
    this.http = http;
    this.billing = http.billing;
  }

  static async open(): Promise<Desk> {
    const chain = scriptedChain();
    chain.state = PLENTY;
    const http = await startHttp({
      chains: [chain],
      // A browser gets cookies of this very origin back.
      change: (deps) => ({ ...deps, config: { ...deps.config, publicUrl: 'http://127.0.0.1' } }),
    });
    const desk = new Desk(http);
    const { merchant, testKey } = await http.merchant('Coffee Club');
    await http.store.records.change('merchants', merchant._id, {}, { set: { feeBps: 0 } });
    desk.key = testKey;
    desk.merchantId = merchant._id;
    await desk.post('/wallets', { tokenKey: 'usdc-local-evm', receiverWallet: BOB });
    return desk;
  }

  post(path: string, body: object = {}): Promise<Reply> {
    return this.http.call('POST', path, { key: this.key, body });
  }

  /** A new customer's subscription that its new wallet has authorized; nothing is charged yet. */
  async subscribe(customer: object = {}, option: object = {}, wallet = Wallet.createRandom().address): Promise<string> {
    const made = await this.post('/offers', offerBody({ name: 'Coffee monthly', pricing: [monthly(option)] }));
    const priceId = priceIdOf(made);
    const wallets = [{ chainFamily: 'evm', address: wallet }];
    const customerId = idOf(await this.post('/customers', { wallets, ...customer }));
    const id = idOf(await this.post('/subscriptions', { priceId, customerId }));
    await this.billing.quiet();
    return id;
  }

  /** Its charge falls due and is attempted. */
  async falls(id: string): Promise<string> {
    const { open, lastCycle } = subscriptionContextOf(await this.subscription(id));
    await this.send(id, { type: 'cycle.due', asked: true, charge: READY });
    return cyclePaymentId(id, open?.number ?? lastCycle + 1);
  }

  /** The attempt in flight settles. Returns the hash of its transaction. */
  async settles(id: string): Promise<string> {
    const paymentId = await this.falls(id);
    this.#hashes += 1;
    const txHash = `0x${String(this.#hashes).padStart(64, 'a')}`;
    const block = { number: 100 + this.#hashes, hash: `0x${'b'.repeat(64)}` };
    const attempt = await this.attemptOf(paymentId);
    const hashes = { pullTxHash: txHash, forwardTxHash: txHash, platformTransferTxHash: null, distributeTxHash: null };
    await this.#charged(paymentId, { state: 'final', txHash, block, updatedAt: this.http.now });
    await this.send(paymentId, { type: 'charge.started', attempt, round: 0, toWallet: BOB });
    await this.send(paymentId, { type: 'charge.final', attempt, hashes, block });
    return txHash;
  }

  /** The attempt in flight fails. Returns its payment. */
  async fails(id: string, reason: 'insufficient_allowance' | 'insufficient_balance'): Promise<string> {
    const paymentId = await this.falls(id);
    const attempt = await this.attemptOf(paymentId);
    await this.#charged(paymentId, { state: 'refused', reason, updatedAt: this.http.now });
    await this.send(paymentId, { type: 'charge.refused', attempt, round: 0, reason });
    return paymentId;
  }

  async attemptOf(paymentId: string): Promise<number> {
    const [payment] = await this.http.store.actors.load('payment', [paymentId]);
    return Number(payment?.context['attempt']);
  }

  async #charged(paymentId: string, set: object): Promise<void> {
    const where = { paymentId, state: 'waiting' };
    const [charge] = await this.http.store.records.find('charges', { where, sort: [['attempt', -1]], limit: 1 });
    if (!charge) throw new Error(`${paymentId} has no charge that waits`);
    await this.http.store.records.change('charges', charge._id, {}, { set: { ...set } });
  }

  async subscription(id: string): Promise<ActorDoc> {
    const [doc] = await this.http.store.actors.load('subscription', [id]);
    if (!doc) throw new Error(`${id} is not stored`);
    return doc;
  }

  async send(id: string, event: Parameters<InProcessService['engine']['dispatch']>[0]['event']): Promise<void> {
    const kind = id.startsWith('sub_') ? 'subscription' : 'payment';
    const result = await this.billing.engine.dispatch({ kind, id, event, by: 'test' });
    if (result.kind !== 'taken') throw new Error(`${event.type}: ${result.kind}`);
    await this.billing.quiet();
  }

  get(path: string): Promise<Reply> {
    return staff(this.http, 'GET', path);
  }

  /** As Ada, who has the shared token. */
  act(path: string, body: object = { reason: REASON }): Promise<Reply> {
    return staff(this.http, 'POST', path, body, { 'X-Staff-Name': 'Ada' });
  }
}
