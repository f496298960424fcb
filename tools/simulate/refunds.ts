import { leftToRefund } from '../../machines/payment/refunds.ts';
import { cancelRefund, type RefundRequest, readRefund, requestRefund } from '../../src/billing/refunds/refunds.ts';
import { formatAmount } from '../../src/model/amounts.ts';
import { paymentAttributes, paymentContextOf } from '../../src/model/payment.ts';
import type { ActorDoc } from '../../src/store/documents.ts';
import type { ActingDeps } from './merchant.ts';
import { GRANTED } from './shop.ts';
import type { Till } from './simulated-chain.ts';

/** A third of the seeds: none of those with hostile actors, and none that once failed. */
export function hasRefunds(seed: number): boolean {
  return seed % 3 === 2;
}

/** What a merchant wants: mostly a part. `given up`: it asks, and sends nothing. */
const WISHES = ['part', 'part', 'part', 'whole', 'too much', 'twice', 'given up'] as const;
const MANY = 100;
/** After this time the money of its wallet is usually there. */
const SOON_MS = 5_000;
const BY = 'api';
const NO_PAGE = 'https://pay.example';

/** The refunds of one merchant. */
export class Refunds {
  /** The wallets from which it refunds; they send nothing else. */
  readonly wallets = new Map<Till, string>();
  readonly #deps: ActingDeps;
  #asked = 0;

  constructor(deps: ActingDeps) {
    this.#deps = deps;
  }

  /** Refunds some payment that has settled, if there is any, and sends the transactions once. */
  async act(): Promise<void> {
    const { merchant, shop, random, time } = this.#deps;
    const where = { ...shop.tenant, status: 'settled' };
    const settled = await merchant.ask('find what has settled', ({ billing }) =>
      billing.store.actors.find('payment', { where, sort: [['_id', 1]], limit: MANY }),
    );
    if (settled.kind !== 'answered' || settled.value.length === 0) return;
    const payment = random.pick(settled.value);
    const wish = random.pick(WISHES);
    const [till, fromWallet] = this.#walletFor(payment);
    await time.pause(SOON_MS);
    this.#asked += 1;
    const idempotencyKey = `refund-${this.#asked}`;
    const amount = this.#amountOf(payment, wish);
    const request = { amount, reason: null, fromWallet, idempotencyKey, requestHash: idempotencyKey };
    const ask = () => this.#ask(payment, request);
    const [made, again] = await Promise.all([ask(), wish === 'twice' ? ask() : null]);
    if (made !== null && wish === 'too much')
      merchant.oddities.push(`${made.refund.id} is more than ${payment._id} had`);
    if (made !== null && again !== null && made.refund.id !== again.refund.id)
      merchant.oddities.push(`${idempotencyKey} made ${made.refund.id}, and ${again.refund.id}`);
    const ids = { paymentId: payment._id, refundId: made?.refund.id ?? '' };
    if (made === null) return;
    if (wish === 'given up') {
      await merchant.insist(`give up ${ids.refundId}`, ({ billing }) => cancelRefund(billing, shop.tenant, ids, BY));
      return;
    }
    const drafted = made.draft?.transactions ?? (await this.#read(ids, fromWallet));
    if (drafted !== null) till.chain.controls.send(fromWallet, drafted);
  }

  async #ask(payment: ActorDoc, request: RefundRequest) {
    const { merchant, shop } = this.#deps;
    const asked = await merchant.insist(`${request.idempotencyKey} of ${payment._id}`, ({ billing }) =>
      requestRefund(billing, shop.tenant, payment._id, request, NO_PAGE, BY),
    );
    return asked.kind === 'answered' ? asked.value.resource : null;
  }

  async #read(ids: Parameters<typeof readRefund>[2], fromWallet: string) {
    const { merchant, shop } = this.#deps;
    const read = await merchant.ask(`read ${ids.refundId}`, ({ billing }) =>
      readRefund(billing, shop.tenant, ids, fromWallet),
    );
    return read.kind === 'answered' ? (read.value.draft?.transactions ?? null) : null;
  }

  #amountOf(payment: ActorDoc, wish: (typeof WISHES)[number]): string | null {
    const left = leftToRefund(paymentContextOf(payment));
    const some = BigInt(1 + Math.floor(this.#deps.random.next() * Number(left)));
    return wish === 'whole' ? null : formatAmount(wish === 'too much' ? left + 1n : some, 6);
  }

  /** The till of the payment, and the wallet that refunds there. */
  #walletFor({ attributes }: ActorDoc): [till: Till, wallet: string] {
    const { tokenKey } = paymentAttributes.parse(attributes);
    const till = this.#deps.shop.tills.find(({ chain }) => chain.tokenKey === tokenKey);
    if (till === undefined) throw new Error(`no till takes ${tokenKey}`);
    const { controls } = till.chain;
    const known = this.wallets.get(till);
    const wallet = known ?? controls.stranger();
    if (known === undefined) controls.mint(wallet, GRANTED);
    this.wallets.set(till, wallet);
    return [till, wallet];
  }
}
