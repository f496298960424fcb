import { Wallet } from 'ethers';
import { usedBy } from '../../src/billing/subscriptions/readiness.ts';
import type { FoundRefund, PullReason } from '../../src/chains/port.ts';
import { cyclePaymentId } from '../../src/model/payment.ts';
import { refundWatchId } from '../../src/model/refund.ts';
import { subscriptionContextOf } from '../../src/model/subscription.ts';
import type { Mode, StoredActor } from '../../src/store/documents.ts';
import type { InProcessService } from '../../stage/in-process-service.ts';
import { PLENTY, type ScriptedChain, scriptedChain } from '../../stage/scripted-chain.ts';
import { ALICE, BOB, monthly, offerBody, paymentBody } from './bodies.ts';
import { type HttpHarness, type HttpOptions, idOf, MerchantCaller, priceIdOf, startHttp } from './http.ts';

type Event = Parameters<InProcessService['engine']['dispatch']>[0]['event'];

/** Payments and transfers of all merchants so far. */
let made = 0;

/** An engineer of a merchant without a fee, who calls its API with a test key; and what happens to its customers. */
export class MerchantOverHttp extends MerchantCaller {
  readonly chain: ScriptedChain;

  private constructor(http: HttpHarness, chain: ScriptedChain, id: string, key: string) {
    super(http, id, key);
    this.chain = chain;
  }

  /** With a payout wallet, at a service of its own on a scripted chain on which every wallet has plenty. */
  static async open(options: HttpOptions = {}): Promise<MerchantOverHttp> {
    const chain = scriptedChain();
    chain.state = PLENTY;
    const merchant = await MerchantOverHttp.signUp(await startHttp({ chains: [chain], ...options }), chain);
    await merchant.setPayoutWallet();
    return merchant;
  }

  /** Without a payout wallet, at this service. `mode`: of the key that it calls with. */
  static async signUp(
    http: HttpHarness,
    chain: ScriptedChain,
    name = 'Coffee Club',
    mode: Mode = 'test',
  ): Promise<MerchantOverHttp> {
    const { merchant, testKey, liveKey } = await http.merchant(name);
    await http.store.records.change('merchants', merchant._id, {}, { set: { feeBps: 0 } });
    return new MerchantOverHttp(http, chain, merchant._id, mode === 'live' ? liveKey : testKey);
  }

  get billing(): InProcessService {
    return this.http.billing;
  }

  async setPayoutWallet(receiverWallet = BOB): Promise<void> {
    const { status } = await this.post('/wallets', { tokenKey: 'usdc-local-evm', receiverWallet });
    if (status !== 201) throw new Error(`the payout wallet is not set: ${status}`);
  }

  /**
   * A new customer's subscription whose wallet has approved what the chain says; nothing is charged yet. `option`
   * changes its pricing option, and `offer` its offer.
   */
  async subscribe(
    customer: object = {},
    option: object = {},
    wallet = Wallet.createRandom().address,
    offer: object = {},
  ): Promise<string> {
    const made = await this.post(
      '/offers',
      offerBody({ name: 'Coffee monthly', pricing: [monthly(option)], ...offer }),
    );
    const wallets = [{ chainFamily: 'evm', address: wallet }];
    const customerId = idOf(await this.post('/customers', { wallets, ...customer }));
    const id = idOf(await this.post('/subscriptions', { priceId: priceIdOf(made), customerId }));
    await this.billing.quiet();
    return id;
  }

  /** As `subscribe`, after the first charge. */
  async subscribeAndPay(...args: Parameters<MerchantOverHttp['subscribe']>): Promise<string> {
    const id = await this.subscribe(...args);
    await this.settleCharge(id);
    return id;
  }

  /** The charge of this subscription is attempted before it is due. Returns its payment. */
  async beginCharge(id: string): Promise<string> {
    const doc = await this.subscription(id);
    const { open, lastCycle } = subscriptionContextOf(doc);
    const used = (await usedBy(this.http.store, [doc])).get(id);
    const charge = { ready: true, ...(used === undefined ? {} : { used }) } as const;
    await this.send(id, { type: 'cycle.due', asked: true, charge });
    return cyclePaymentId(id, open?.number ?? lastCycle + 1);
  }

  /** As `beginCharge`, and it settles. Returns the hash of its transaction. */
  async settleCharge(id: string): Promise<string> {
    return this.chain.charges.settle(await this.beginCharge(id));
  }

  /** As `beginCharge`, and it fails. Returns its payment. */
  async failCharge(id: string, reason: PullReason): Promise<string> {
    const paymentId = await this.beginCharge(id);
    await this.chain.charges.refuse(paymentId, reason);
    return paymentId;
  }

  /** A payment of 10.00 by Alice that has settled; `change` changes its body. */
  async paid(change: object = {}): Promise<string> {
    made += 1;
    const asked = this.post('/payments', paymentBody({ idempotencyKey: `paid-${made}`, ...change }));
    await this.chain.charges.settle((await this.chain.charges.waiting()).paymentId);
    return idOf(await asked);
  }

  /** The chain shows that somebody has sent money of a payment back: 4.00 to Alice, unless `change` says otherwise. */
  async sentBack(paymentId: string, change: Partial<FoundRefund> = {}): Promise<FoundRefund> {
    made += 1;
    const [charge] = await this.http.store.records.find('charges', { where: { paymentId }, limit: 1 });
    const found = {
      key: charge?.key ?? '',
      token: charge?.token ?? '',
      receiver: ALICE,
      amount: 4_000_000n,
      transaction: `0xreturned${made}`,
      index: 0,
      block: { number: 5, hash: '0xb5' },
      isFinal: true,
      ...change,
    };
    this.chain.refunded = [...this.chain.refunded, found];
    await this.checkRefunds(paymentId);
    return found;
  }

  /** Reads the chain for transfers of the refunds of a payment. */
  async checkRefunds(paymentId: string): Promise<void> {
    await this.billing.deps.watcher.check([refundWatchId(paymentId)]);
    await this.billing.quiet();
  }

  async subscription(id: string): Promise<StoredActor> {
    const [doc] = await this.http.store.actors.load('subscription', [id]);
    if (!doc) throw new Error(`${id} is not stored`);
    return doc;
  }

  /** Dispatches this event to a subscription or a payment, and lets everything happen that follows from it. */
  async send(id: string, event: Event, by = 'test'): Promise<void> {
    const kind = id.startsWith('sub_') ? 'subscription' : 'payment';
    const result = await this.billing.engine.dispatch({ kind, id, event, by });
    if (result.kind !== 'taken') throw new Error(`${id} does not take ${event.type}: ${result.kind}`);
    await this.billing.quiet();
  }

  later(ms: number): void {
    this.http.later(ms);
  }
}
