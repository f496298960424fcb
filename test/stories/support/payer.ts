import type { Wallet } from 'ethers';
import { authorizeByLink } from './authorize.ts';
import { inTokens } from './chain.ts';
import type { OnSale, Shop } from './shop.ts';
import { Subscribed } from './subscribed.ts';

/** A customer with a wallet. Its acts happen on the chain, without a notice to the service. */
export class Payer {
  readonly customerId: string;
  readonly wallet: Wallet;
  readonly #shop: Shop;
  /** The operator that its approvals are for. */
  #operator: string;

  constructor(shop: Shop, customerId: string, wallet: Wallet) {
    this.#shop = shop;
    this.#operator = shop.operator;
    this.customerId = customerId;
    this.wallet = wallet;
  }

  /**
   * Subscribes, as the shop's backend does for its customer. `on`: the morning to which its clock moves first. The approval
   * must come after that, because the charge may follow at once.
   */
  async subscribes({ priceId }: OnSale, { on }: { readonly on?: string } = {}): Promise<Subscribed> {
    const { id } = await this.#shop.api.subscriptions.create({ priceId, customerId: this.customerId });
    const subscribed = new Subscribed(this.#shop, this, id);
    this.#shop.note(subscribed);
    if (on !== undefined) await subscribed.onTheMorningOf(on);
    return subscribed;
  }

  /** Approves this amount for the shop, within the mandate once one is signed; it replaces an earlier approval. */
  approves(amount: string): Promise<void> {
    return this.#shop.chain.approve(this.wallet, this.#operator, amount);
  }

  revokes(): Promise<void> {
    return this.approves('0');
  }

  /** Opens the link and signs its mandate with the wallet. Resolves with the status of the answer. */
  async signs(authorizationUrl: string): Promise<number> {
    const { status, operator } = await authorizeByLink(authorizationUrl, this.wallet);
    this.#operator = operator ?? this.#operator;
    return status;
  }

  /** Somebody sends tokens to the wallet. */
  receives(amount: string): Promise<void> {
    return this.#shop.chain.give(this.wallet.address, amount);
  }

  spendsEverything(): Promise<void> {
    return this.#shop.chain.empty(this.wallet);
  }

  /** Checks the amounts that this merchant's charges took from the wallet, by the Transfer logs of the chain, in order. */
  async expectPaid(amounts: readonly string[]): Promise<void> {
    const { chain } = this.#shop;
    const sums = new Map<string, bigint>();
    for (const { from, to, txHash, amount } of await chain.transfers()) {
      if (from === this.wallet.address && to !== chain.bank) sums.set(txHash, (sums.get(txHash) ?? 0n) + amount);
    }
    expect([...sums.values()].map(inTokens)).toEqual(amounts);
  }

  /** The token's issuer freezes this wallet: its allowance and balance stay, but its transfers revert. */
  isFrozen(): Promise<void> {
    return this.#shop.chain.setFrozen(this.wallet.address, true);
  }

  isReleased(): Promise<void> {
    return this.#shop.chain.setFrozen(this.wallet.address, false);
  }
}
