import { createCoupon, listCoupons } from '../../src/billing/coupons/coupons.ts';
import type { Random } from '../crashtest/random.ts';
import type { ActingDeps } from './merchant.ts';
import { PRICE } from './shop.ts';

/** `random` null: the run has no coupons. */
type CouponsDeps = Pick<ActingDeps, 'merchant' | 'shop'> & { readonly random: Random | null };

/** A tenth of the seeds: none that once failed, and none with prices per unit. */
export function hasCoupons(seed: number): boolean {
  return seed % 10 === 8;
}

export interface MadeCoupon {
  readonly id: string;
  readonly code: string;
  readonly percentOff: number;
  readonly cycles: number | null;
  readonly maxRedemptions: number | null;
}

/** The coupons of one merchant, by what it asked for. */
export class Coupons {
  readonly made: MadeCoupon[] = [];
  /** The coupons of one-time purchases, by the idempotency keys of their payments; null: the full price. */
  readonly bought = new Map<string, MadeCoupon | null>();
  readonly #deps: CouponsDeps;
  #asked = 0;

  constructor(deps: CouponsDeps) {
    this.#deps = deps;
  }

  /** The coupon of a sign-up or a purchase, one that may be used up by then; null: the full price. */
  async drawn(): Promise<MadeCoupon | null> {
    const { random } = this.#deps;
    if (random === null || random.next() < 0.3) return null;
    if (this.made.length < 2) await this.#make(random);
    return this.made.length === 0 ? null : random.pick(this.made);
  }

  /** Whether somebody signs with a wallet that stays empty: the purchase lapses, and gives its redemption back. */
  lapses(): boolean {
    const { random } = this.#deps;
    return random !== null && random.next() < 0.3;
  }

  async #make(random: Random): Promise<void> {
    const { merchant, shop } = this.#deps;
    this.#asked += 1;
    // The other stories make their own for the same merchant.
    const [code, percentOff] = [`C${this.#asked}-${random.integer(1, 1_000_000)}`, random.integer(1, 99)];
    const wish = { code, percentOff, cycles: random.pick([1, 2, 3, null]), maxRedemptions: random.pick([1, 2, null]) };
    const nothing = { amountOff: null, ticker: null, expiresAt: null, offerIds: null, firstTimeOnly: false };
    const keyed = { idempotencyKey: null, requestHash: '' };
    const input = { ...wish, ...nothing, ...keyed, percentOff: String(percentOff) };
    await merchant.ask(`make ${code}`, ({ billing }) => createCoupon(billing, shop.tenant, input));
    const found = await merchant.insist(`find ${code}`, ({ billing }) =>
      listCoupons(billing, shop.tenant, { code, limit: 1, start: 0 }),
    );
    const id = found.kind === 'answered' ? found.value.items[0]?._id : undefined;
    if (id !== undefined) this.made.push({ id, ...wish });
  }
}

/** A charge of this price with this coupon, base units. */
export function chargeWith({ percentOff }: MadeCoupon, price: bigint = PRICE.baseUnits): bigint {
  return price - (price * BigInt(percentOff)) / 100n;
}
