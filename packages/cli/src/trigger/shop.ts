import { JsonRpcProvider, Wallet } from 'ethers';
import type { Tideline } from 'tideline/client';
import { devnetFacts, walletNamed } from '../../../../scripts/lib/devnet-facts.ts';
import { ScriptError } from '../../../../scripts/lib/script.ts';
import type { Profile } from '../profile.ts';

const TOKEN = 'usdc-base';
const NAME = 'tideline trigger';
const PRICES = {
  plain: {},
  trial: { trialDays: 14 },
  per_unit: { model: 'per_unit', maxQuantity: 5 },
  metered: { model: 'metered', capAmount: '10.00' },
} as const;
type Price = keyof typeof PRICES;

/**
 * What the recipes of `trigger` need of a merchant. Everything is made where it is missing, and used again the next
 * time.
 */
export class Shop {
  readonly client: Tideline;
  readonly #profile: Profile;

  constructor(client: Tideline, profile: Profile) {
    this.client = client;
    this.#profile = profile;
  }

  /** A new pending subscription to a monthly offer. The wallet of its customer has approved: it is charged at once. */
  async subscribe(price: Price = 'plain', wallet = 'approved'): Promise<string> {
    const { subscriptions, customers, wallets } = this.client;
    const payer = await this.#testWallet(wallet);
    const registered = (await wallets.list()).wallets.some(({ tokenKey }) => tokenKey === TOKEN);
    if (!registered) await wallets.register({ tokenKey: TOKEN, receiverWallet: await this.#testWallet('merchant') });
    // A wallet is one customer's.
    const [known] = (await customers.list({ walletAddress: payer })).customers;
    const { id: customerId } =
      known ?? (await customers.create({ name: NAME, wallets: [{ chainFamily: 'evm', address: payer }] }));
    return (await subscriptions.create({ priceId: await this.#priceId(price), customerId })).id;
  }

  /** As `subscribe`, after the first charge. */
  async subscribeAndPay(price: Price = 'plain'): Promise<string> {
    const subscriptionId = await this.subscribe(price);
    await this.client.sandbox.advance({ subscriptionId, status: 'active' });
    return subscriptionId;
  }

  /** A payment that waits for a transfer to its address. */
  async awaitTransfer(): Promise<string> {
    const payment = await this.client.payments.create({
      paymentMethod: 'wallet_transfer',
      toWallet: await this.#testWallet('merchant'),
      amount: '5.00',
      tokenKey: TOKEN,
      idempotencyKey: `trigger-${crypto.randomUUID()}`,
    });
    return payment.id;
  }

  /** Refunds the payment of a subscription from a test wallet. Resolves with the id of the refund. */
  async refund(subscriptionId: string): Promise<string> {
    const { payments } = this.client;
    const [paid] = (await payments.list({ subscriptionId })).payments;
    if (paid === undefined) throw new ScriptError(`${subscriptionId} has no payment`);
    const { rpcUrl, chainId, wallets } = await devnetFacts(this.#profile);
    const { address, privateKey } = walletNamed({ wallets }, 'payer-1');
    const asked = await payments.refund(paid.id, { fromWallet: address, idempotencyKey: NAME });
    // Without its cache of 250 ms, a transaction has the nonce after the one before it.
    const provider = new JsonRpcProvider(rpcUrl, chainId, { staticNetwork: true, cacheTimeout: -1 });
    const wallet = new Wallet(privateKey, provider);
    for (const transaction of asked.transactions ?? []) {
      if (transaction.family !== 'evm') throw new ScriptError(`${paid.id} is on no EVM chain`);
      const { to, data } = transaction;
      await (await wallet.sendTransaction({ to, data })).wait();
    }
    return asked.id;
  }

  /**
   * The last token of the catalog whose payout wallet nobody else has chosen gets one test wallet, or the other if it
   * has the one. A payout wallet cannot be taken away again.
   */
  async changePayoutWallet(): Promise<string> {
    const { wallets, currencies } = this.client;
    const [one, other] = [await this.#testWallet('merchant'), await this.#testWallet('platform')];
    const present = new Map((await wallets.list()).wallets.map((wallet) => [wallet.tokenKey, wallet.receiverWallet]));
    const { chains } = await currencies.list();
    const keys = chains.filter(({ family }) => family === 'evm').flatMap(({ tokens }) => tokens.map(({ key }) => key));
    const tokenKey = keys.findLast((key) => key !== TOKEN && [null, one, other].includes(present.get(key) ?? null));
    if (tokenKey === undefined)
      throw new ScriptError('Every token has a payout wallet of yours, and trigger changes none');
    await wallets.register({ tokenKey, receiverWallet: present.get(tokenKey) === one ? other : one });
    return tokenKey;
  }

  async #priceId(price: Price): Promise<string> {
    const monthly = { acceptedTokens: [TOKEN], billing: { type: 'recurring', interval: 'month' } } as const;
    const { pricing } = await this.client.offers.create({
      name: NAME,
      pricing: [{ amount: '9.90', ...monthly, ...PRICES[price] }],
      idempotencyKey: price === 'plain' ? NAME : `${NAME} ${price}`,
    });
    const [option] = pricing;
    if (option === undefined) throw new ScriptError(`The offer "${NAME}" has no price any more`);
    return option.id;
  }

  async #testWallet(name: string): Promise<string> {
    return walletNamed(await devnetFacts(this.#profile), name).address;
  }
}
