import type { Wallet } from 'ethers';
import { apiOfLink, authorizeByLink } from './authorize.ts';
import { morningOf } from './calendar.ts';
import type { Step } from './narrator.ts';
import type { OnSale, Seller } from './seller.ts';
import { StagedSubscription } from './subscription.ts';
import { type Amount, inTokens, units } from './tokens.ts';
import { until } from './until.ts';

/** Requests of pages are limited per address. */
const PAGE_MS = 250;

/** A customer with a wallet. Its acts happen on the chain, without a notice to the service. */
export class Payer {
  readonly customerId: string;
  readonly name: string;
  readonly wallet: Wallet;
  readonly #merchant: Seller;
  /** The operator that its approvals are for. */
  #operator: string;

  constructor(merchant: Seller, who: Pick<Payer, 'customerId' | 'name' | 'wallet'>) {
    this.#merchant = merchant;
    this.#operator = merchant.operator;
    this.customerId = who.customerId;
    this.name = who.name;
    this.wallet = who.wallet;
  }

  get address(): string {
    return this.wallet.address;
  }

  /** `on`: the morning to which its clock moves first. Approve after that: the charge may follow at once. */
  async subscribe(
    { priceId }: OnSale,
    { on, ...chosen }: { readonly on?: string; readonly quantity?: number; readonly couponId?: string } = {},
  ): Promise<StagedSubscription> {
    const made = await this.#merchant.api.subscriptions.create({ priceId, customerId: this.customerId, ...chosen });
    const subscription = new StagedSubscription(this.#merchant, this, made);
    if (on !== undefined) await subscription.advanceToMorning(on);
    this.#tell({
      ...(on === undefined ? {} : { at: morningOf(on) }),
      what: `${this.name} subscribes`,
      status: made.status,
    });
    return subscription;
  }

  /** Approves this amount for the merchant, within the mandate once one is signed; it replaces an earlier approval. */
  async approve(amount: Amount): Promise<void> {
    const txHash = await this.#merchant.stage.chain.approve(this.wallet, this.#operator, amount);
    const act = units(amount) === 0n ? 'revokes it' : 'approves';
    this.#tell({ what: `${this.name} ${act}`, amount: inTokens(units(amount)), txHash });
  }

  revoke(): Promise<void> {
    return this.approve(0n);
  }

  /** Opens the link and signs its mandate with the wallet. Resolves with the status of the answer. */
  async sign(authorizationUrl: string): Promise<number> {
    const { status, operator } = await authorizeByLink(authorizationUrl, this.wallet);
    this.#operator = operator ?? this.#operator;
    this.#tell({ what: `${this.name} opens the link and signs` });
    return status;
  }

  /** Waits until the page of the link shows that the allowance covers the signed amount. */
  async expectAccepted(authorizationUrl: string): Promise<void> {
    const ask = async () => (await fetch(apiOfLink(authorizationUrl))).json();
    await until('the allowance covers the signed terms', ask, (link) => Object(link).isAuthorized === true, {
      everyMs: PAGE_MS,
    });
  }

  /** Somebody sends tokens to the wallet. */
  async receive(amount: Amount): Promise<void> {
    await this.#merchant.stage.chain.give(this.address, amount);
    this.#tell({ what: `${this.name} gets money`, amount: inTokens(units(amount)) });
  }

  spendEverything(): Promise<void> {
    return this.#merchant.stage.chain.empty(this.wallet);
  }

  /** The token's issuer freezes this wallet: its allowance and balance stay, but its transfers revert. */
  freeze(): Promise<void> {
    return this.#merchant.stage.chain.setFrozen(this.address, true);
  }

  /** Checks the amounts that charges took from the wallet, by the Transfer logs of the chain, in order. */
  async expectPaid(amounts: readonly string[]): Promise<void> {
    const { chain, expect } = this.#merchant.stage;
    const sums = new Map<string, bigint>();
    for (const { from, to, txHash, value } of await chain.transfers()) {
      if (from === this.address && to !== chain.faucet) sums.set(txHash, (sums.get(txHash) ?? 0n) + value);
    }
    const paid = [...sums.values()].map((sum) => inTokens(sum));
    expect.equal(`${this.name} pays, by the Transfer logs`, paid, amounts);
  }

  #tell(step: Step): void {
    this.#merchant.stage.narrator.add(step);
  }
}
