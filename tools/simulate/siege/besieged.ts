import { createPayment } from '../../../src/billing/payments/payments.ts';
import { registerWallet } from '../../../src/billing/payout/wallets.ts';
import type { CatalogOptions } from '../../../src/chains/catalog.ts';
import type { Random } from '../../crashtest/random.ts';
import type { Merchant } from '../merchant.ts';
import type { Page } from '../page.ts';
import { GRANTED, type Payer, paymentAt, type Shop } from '../shop.ts';
import type { SimulatedChain } from '../simulated-chain.ts';
import type { VirtualTime } from '../time.ts';

/** The surroundings of hostile actors. */
export interface OpenBesieged {
  readonly honest: Shop;
  readonly time: VirtualTime;
  /** Decides what hostile actors do, and nothing else. */
  readonly random: Random;
  readonly merchant: Merchant;
  readonly page: Page;
  readonly openShop: (name: string, chain: SimulatedChain, payers: number) => Promise<Shop>;
}

/** A chain on which hostile actors live. */
export interface Besieged {
  readonly chain: SimulatedChain;
  readonly catalog: CatalogOptions;
  readonly boundMs: number;
  /** The time from a charge's block to the end of its charge. */
  readonly finalMs: number;
  readonly hasHostileToken: boolean;
  besiege(open: OpenBesieged): Promise<Mischief>;
}

/** 10 blocks or 120 s, whichever is longer. Milliseconds. */
export function boundOf(blockMs: number): number {
  return Math.max(10 * blockMs, 120_000);
}

/** Payers and attackers act together, the honest ones in the first half of a wave. Milliseconds. */
export const WAVE_MS = 1_500;

/** How many payments and changes of wallet a hostile merchant makes in one wave. */
const DUST = 6;
const CHANGES = 2;

/** The share of hostile payers whose first charge is due a day later. */
const TRIED = 0.95;

/** Hostile actors. */
export class Mischief {
  readonly #counts = new Map<string, number>();
  readonly #open: OpenBesieged;
  readonly #deeds: (() => void)[] = [];
  #made = 0;

  constructor(open: OpenBesieged) {
    this.#open = open;
  }

  get acts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  /** Does harm once more. */
  act(): void {
    for (const deed of this.#deeds) deed();
  }

  count(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  /** Does this in every wave, some moment after its begin. */
  often(name: string, deed: () => unknown): void {
    const { time, random } = this.#open;
    this.#deeds.push(() => {
      time.in(random.integer(0, WAVE_MS), () => {
        this.count(name);
        deed();
      });
    });
  }

  /** Subscribes with the first wave; `isTried`: its first charge is due a day later. */
  subscribe(name: string, payer: Payer, { sales }: Shop, isTried = this.#open.random.next() < TRIED): void {
    const sale = sales[isTried ? 1 : 0];
    if (sale === undefined) return;
    const { time, random, page } = this.#open;
    this.count(name);
    time.in(random.integer(WAVE_MS / 2, WAVE_MS), () => void page.open('subscription', payer, sale));
  }

  /** A merchant that makes work for nothing: payments of dust, and payout wallets that cannot be paid and change. */
  merchant({ tenant, tills: [till], payers: [payer] }: Shop): void {
    if (till === undefined || payer === undefined) return;
    const { controls, tokenKey } = till.chain;
    const { merchant } = this.#open;
    controls.refuse(till.payout, true);
    controls.approve(payer.wallet, { merchantId: tenant.merchantId, isBounded: false }, GRANTED);
    for (let index = 0; index < DUST; index += 1) {
      this.often('dust payment', () => {
        this.#made += 1;
        const idempotencyKey = `dust-${this.#made}`;
        const order = { ...paymentAt(till, idempotencyKey, 1n), toWallet: controls.stranger(), refundWallet: null };
        const { wallet: fromWallet, customerId } = payer;
        const method = { fromWallet, customerId, paymentMethod: 'wallet_connect' } as const;
        void merchant.ask(idempotencyKey, ({ billing }) => createPayment(billing, tenant, { ...order, ...method }));
      });
    }
    for (let index = 0; index < CHANGES; index += 1) {
      this.often('change of payout wallet', () => {
        const receiverWallet = controls.stranger();
        controls.refuse(receiverWallet, true);
        void merchant.ask(`register ${receiverWallet}`, ({ billing }) =>
          registerWallet(billing, tenant, { tokenKey, receiverWallet }),
        );
      });
    }
  }
}
