import type { Wallet } from 'ethers';
import { createClient, type Tideline } from 'tideline/client';
import { z } from 'zod';
import { tokenNamed } from '../../../scripts/lib/devnet-facts.ts';
import { type Invitee, inviteMember } from '../../../scripts/lib/staff.ts';
import { buildPages, pagesPaths } from '../../../src/pages/pages.ts';
import type { LedgerStore } from '../../../src/store/port.ts';
import type { LocalChain } from '../../../stage/local-chain.ts';
import type { MerchantClient } from '../../../stage/merchant-client.ts';
import type { Environment } from '../../../stage/processes.ts';
import { Stage } from '../../../stage/stage.ts';
import { type Amount, TOKEN_KEY } from '../../../stage/tokens.ts';
import { testArtifacts } from '../../chains/contracts/test-artifacts.ts';
import { CHROMIUM, Chromium, type VisitOptions } from '../../support/browser.ts';
import { createTestMerchant } from '../../support/merchant.ts';
import { subscribe } from './checkout-page.ts';
import { visitWithWallet, type WalletVisitOptions } from './page-wallet.ts';
import { visitWithSolanaWallet } from './solana-wallet.ts';

export const MONTHLY = {
  amount: '10.00',
  acceptedTokens: [TOKEN_KEY],
  billing: { type: 'recurring', interval: 'month' },
} as const;
/** A hundred calls of each month are included, and all others cost at most 20.00 together. */
export const BY_USE = {
  ...MONTHLY,
  ...{ model: 'metered', amount: '0.01', includedUnits: 100, capAmount: '20.00' },
  tiers: [{ above: 1_000, amount: '0.008' }],
} as const;
export const MORE = { ...MONTHLY, label: 'More', amount: '20.00' } as const;
export const ONCE = { amount: '25.00', acceptedTokens: [TOKEN_KEY], billing: { type: 'one_time' } } as const;

const made = z.looseObject({ id: z.string(), checkoutUrl: z.string(), pricing: z.array(z.object({ id: z.string() })) });

const onSale = z.object({
  pricing: z.array(z.object({ acceptedTokens: z.array(z.object({ operator: z.string() })) })),
});

const solanaSchema = z.object({
  solana: z.object({
    rpcUrl: z.string(),
    wallets: z.array(z.object({ name: z.string(), address: z.string(), secretKey: z.string() })),
  }),
});

/** A merchant's backend; `api` has typed answers. */
export type PageMerchant = MerchantClient & { readonly api: Tideline };

export type Sale = Awaited<ReturnType<PageStage['sale']>>;

export interface SaleOptions {
  /** Further fields of the offer. */
  readonly change?: object;
}

export interface PayerOptions extends WalletVisitOptions {
  /** The tokens of the new wallet. */
  readonly has?: Amount;
}

/** One real service with its database and chain, and a browser, for the tests of one file. */
export class PageStage {
  readonly chromium = new Chromium();
  #stage: Stage | null = null;

  /** `env`: variables of the service, beside those of every test. Without a browser nothing starts. */
  constructor(env: Environment = {}) {
    beforeAll(async () => {
      if (CHROMIUM === null) return;
      // Before the service searches for the newest build, which it keeps.
      await buildPages(pagesPaths().root);
      this.#stage = await Stage.open({ env });
    }, 120_000);
    afterAll(() => this.#stage?.stop(), 120_000);
  }

  get #open(): Stage {
    if (this.#stage === null) throw new Error('the service has not been started');
    return this.#stage;
  }

  get url(): string {
    return this.#open.url;
  }

  get chain(): LocalChain {
    return this.#open.chain;
  }

  /** What the service has stored. */
  store(): Promise<LedgerStore> {
    return this.#open.store();
  }

  /** The staff API with the token that the service made for its operators. */
  staff() {
    return this.#open.staff();
  }

  async merchant(): Promise<PageMerchant> {
    const { dataDir } = this.#open;
    const merchant = await createTestMerchant(() => this.#open.service, dataDir);
    return { ...merchant, api: createClient({ apiKey: merchant.testKey, baseUrl: `${this.url}/v1` }) };
  }

  /** The link with which a new member of a merchant's team opens the dashboard, once. */
  async invitation({ id }: MerchantClient, role: Invitee['role']): Promise<string> {
    return (await inviteMember(this.staff(), id, { name: 'Ada', role }, 'new in the team')).url;
  }

  /** A new merchant with a payout wallet that sells something; `url` is the address of the checkout. */
  async sale(pricing: readonly object[], change: object = {}, tokenKey: string = TOKEN_KEY) {
    const isSolana = tokenKey.endsWith('-solana');
    const receiverWallet = isSolana ? await this.#solanaMerchant() : this.chain.addressOf('merchant');
    const merchant = await this.merchant();
    await merchant.call('POST', '/wallets', { tokenKey, receiverWallet });
    const body = { name: 'Coffee Club', description: 'Beans, every month.', pricing, ...change };
    const offer = made.parse(await merchant.call('POST', '/offers', body));
    return { merchant, offerId: offer.id, priceIds: offer.pricing.map(({ id }) => id), url: offer.checkoutUrl };
  }

  async #solanaMerchant(): Promise<string | undefined> {
    return (await this.solana()).wallets.find(({ name }) => name === 'merchant')?.address;
  }

  /** The local Solana chain with its test wallets. */
  async solana() {
    return solanaSchema.parse(await (await fetch(`${this.url}/devnet.json`)).json()).solana;
  }

  /** The operator that a checkout asks its payers to approve. */
  async operatorOf({ offerId }: Pick<Sale, 'offerId'>): Promise<string> {
    const answer = await fetch(`${this.url}/checkout/api/offers/${offerId}`);
    const operator = onSale.parse(await answer.json()).pricing[0]?.acceptedTokens[0]?.operator;
    if (operator === undefined) throw new Error('the offer has no price');
    return operator;
  }

  /** A payer with an extension and a new wallet, which has gas, tokens, and no approvals. */
  async payer({ has = 500_000_000n, ...options }: PayerOptions = {}) {
    const wallet = await this.chain.newWallet(has);
    return { ...(await visitWithWallet(this.chromium, wallet, options)), wallet };
  }

  /** A payer at the checkout of a new sale. */
  async payerOf(pricing: readonly object[], { change, ...options }: PayerOptions & SaleOptions = {}) {
    const sale = await this.sale(pricing, change);
    return { ...sale, ...(await this.payer({ at: sale.url, ...options })) };
  }

  /** Somebody without a wallet at the checkout of a new sale. */
  async visitorOf(pricing: readonly object[], { change, ...options }: VisitOptions & SaleOptions = {}) {
    const sale = await this.sale(pricing, change);
    return { ...sale, ...(await this.chromium.visit({ at: sale.url, ...options })) };
  }

  /** A payer with an extension for Solana, which has the key of a test wallet. */
  async solanaPayer(name: string, options: Pick<PayerOptions, 'at'> = {}) {
    const { rpcUrl, wallets } = await this.solana();
    const wallet = wallets.find((each) => each.name === name);
    if (wallet === undefined) throw new Error(`/devnet.json has no Solana wallet ${name}`);
    return visitWithSolanaWallet(this.chromium, rpcUrl, wallet, options);
  }

  /** A payer who has paid the first cycle at this address. */
  async subscriber(url: string): Promise<Wallet> {
    const { page, wallet } = await this.payer();
    await subscribe(page, url);
    return wallet;
  }

  /** Makes USDT of the local chain refuse approvals like that of Ethereum. Returns its address. */
  async makeUsdtStrict(): Promise<string> {
    const { provider, facts } = this.chain;
    const usdt = tokenNamed(facts, 'usdt-local-evm');
    const { StrictToken } = await testArtifacts();
    const { contractAddress } = await this.chain.send(this.chain.wallet('payer-9'), { data: StrictToken.bytecode });
    await provider.send('anvil_setCode', [usdt, await provider.getCode(String(contractAddress))]);
    return usdt;
  }
}

export async function onlySubscription({ api }: PageMerchant) {
  const { subscriptions } = await api.subscriptions.list();
  const [subscription] = subscriptions;
  if (subscription === undefined || subscriptions.length > 1) throw new Error('the merchant has not one subscription');
  return subscription;
}

/** The merchant cancels its only subscription, without the payer. */
export async function cancelSubscription(merchant: PageMerchant): Promise<void> {
  const { id } = await onlySubscription(merchant);
  await merchant.api.subscriptions.cancel(id);
}

export type NewCustomer = Parameters<Tideline['customers']['create']>[0];

/** Like the merchant's own code: a subscription of a new customer, and the link at which a wallet authorizes it. */
export async function newSubscription({ merchant, priceIds: [priceId = ''] }: Sale, customer: NewCustomer = {}) {
  const { id: customerId } = await merchant.api.customers.create(customer);
  const { id, authorizationUrl } = await merchant.api.subscriptions.create({ priceId, customerId });
  if (authorizationUrl === null) throw new Error('the subscription has no link');
  return { id, authorizationUrl };
}
