import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Interface, type JsonRpcProvider, Wallet } from 'ethers';
import { z } from 'zod';
import { type DevnetFacts, devnetFacts, tokenNamed, walletNamed } from '../../../scripts/lib/devnet-facts.ts';
import { freePort } from '../../../scripts/lib/free-port.ts';
import { staffToken } from '../../../scripts/lib/running-service.ts';
import { type Invitee, inviteMember } from '../../../scripts/lib/staff.ts';
import { buildPages } from '../../../src/pages/build.ts';
import { pagesPaths } from '../../../src/pages/paths.ts';
import { connectTo } from '../../../stage/connect.ts';
import type { MerchantClient } from '../../../stage/merchant-client.ts';
import type { Environment, ServiceProcess } from '../../../stage/processes.ts';
import { receiptOf } from '../../../stage/receipt.ts';
import { removeFolder } from '../../../stage/remove-folder.ts';
import { PLAYING_TOKEN_KEY, TOKEN_KEY } from '../../../stage/sale.ts';
import { testArtifacts } from '../../chains/contracts/test-artifacts.ts';
import { CHROMIUM } from '../../support/browser.ts';
import { createTestMerchant } from '../../support/merchant.ts';
import { startServiceProcess } from '../../support/service.ts';

export const MONTHLY = {
  amount: '10.00',
  acceptedTokens: [TOKEN_KEY],
  billing: { type: 'recurring', interval: 'month' },
} as const;
export const ONCE = { amount: '25.00', acceptedTokens: [TOKEN_KEY], billing: { type: 'one_time' } } as const;

const made = z.looseObject({ id: z.string(), checkoutUrl: z.string(), pricing: z.array(z.object({ id: z.string() })) });

const onSale = z.object({
  pricing: z.array(z.object({ acceptedTokens: z.array(z.object({ operator: z.string() })) })),
});

const solanaWallets = z.object({
  solana: z.object({ wallets: z.array(z.object({ name: z.string(), address: z.string() })) }),
});

export interface Sale {
  readonly merchant: MerchantClient;
  readonly offerId: string;
  readonly priceIds: readonly string[];
  /** The address of the checkout. */
  readonly url: string;
}

const erc20 = new Interface([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'function approve(address spender, uint256 amount) returns (bool)',
  'function transfer(address to, uint256 amount) returns (bool)',
  'function allowance(address owner, address spender) view returns (uint256)',
]);

/** One real service with its database and chain, for the tests of one file. Without a browser it starts nothing. */
export class Town {
  #service: ServiceProcess | null = null;
  #facts: DevnetFacts | null = null;
  #provider: JsonRpcProvider | null = null;
  readonly #env: Environment;
  readonly #isLocalhost: boolean;
  #dataDir = '';

  /**
   * `env`: variables of the service, beside those of every test. `isLocalhost`: its pages are at a name, as passkeys
   * need.
   */
  constructor(env: Environment = {}, { isLocalhost = false }: { readonly isLocalhost?: boolean } = {}) {
    this.#env = env;
    this.#isLocalhost = isLocalhost;
    beforeAll(async () => {
      if (CHROMIUM !== null) await this.#open();
    }, 120_000);
    afterAll(async () => {
      this.#provider?.destroy();
      await this.#service?.stop();
      if (this.#dataDir !== '') await removeFolder(this.#dataDir);
    }, 120_000);
  }

  async #open(): Promise<void> {
    // Before the service searches for the newest build, which it keeps.
    await buildPages(pagesPaths().root);
    this.#dataDir = await mkdtemp(join(tmpdir(), 'tideline-pages-'));
    const port = String(await freePort());
    const named = this.#isLocalhost ? { PORT: port, PUBLIC_URL: `http://localhost:${port}` } : {};
    this.#service = await startServiceProcess({ dataDir: this.#dataDir, env: { ...this.#env, ...named } });
    this.#facts = await devnetFacts(this.#service);
    this.#provider = connectTo(this.#facts);
  }

  get service(): ServiceProcess {
    return there(this.#service);
  }

  get facts(): DevnetFacts {
    return there(this.#facts);
  }

  get provider(): JsonRpcProvider {
    return there(this.#provider);
  }

  payer(name: string): Wallet {
    return new Wallet(walletNamed(this.facts, name).privateKey, this.provider);
  }

  merchant(): Promise<MerchantClient> {
    return createTestMerchant(() => this.service, this.#dataDir);
  }

  /** The link with which a new member of a merchant's team opens the dashboard, once. */
  async invitation({ id }: MerchantClient, role: Invitee['role']): Promise<string> {
    const { token } = staffToken({ DATA_DIR: this.#dataDir });
    const invited = await inviteMember({ url: this.service.url, token }, id, { name: 'Ada', role }, 'new in the team');
    return invited.url;
  }

  /** A new merchant with a payout wallet that sells something. */
  async sale(pricing: readonly object[], change: object = {}, tokenKey: string = TOKEN_KEY): Promise<Sale> {
    const merchant = await this.merchant();
    const receiverWallet = walletNamed(this.facts, 'merchant').address;
    await merchant.call('POST', '/wallets', { tokenKey, receiverWallet });
    return this.#sells(merchant, pricing, change);
  }

  /** The same for a token of Solana. */
  async solanaSale(pricing: readonly object[], tokenKey: string): Promise<Sale> {
    const merchant = await this.merchant();
    const { solana } = solanaWallets.parse(await (await fetch(`${this.service.url}/devnet.json`)).json());
    const receiverWallet = solana.wallets.find(({ name }) => name === 'merchant')?.address;
    await merchant.call('POST', '/wallets', { tokenKey, receiverWallet });
    return this.#sells(merchant, pricing, {});
  }

  async #sells(merchant: MerchantClient, pricing: readonly object[], change: object): Promise<Sale> {
    const body = { name: 'Coffee Club', description: 'Beans, every month.', pricing, ...change };
    const offer = made.parse(await merchant.call('POST', '/offers', body));
    return { merchant, offerId: offer.id, priceIds: offer.pricing.map(({ id }) => id), url: offer.checkoutUrl };
  }

  /** The operator that a checkout asks its payers to approve. */
  async operatorOf({ offerId }: Sale): Promise<string> {
    const answer = await fetch(`${this.service.url}/checkout/api/offers/${offerId}`);
    const { pricing } = onSale.parse(await answer.json());
    return there(pricing[0]?.acceptedTokens[0]?.operator ?? null);
  }

  /** What left a wallet in each of its transactions, base units, in order, from the token's own log. */
  movedFrom(wallet: string, token = this.token): Promise<bigint[]> {
    return this.#moved([wallet], token);
  }

  movedTo(wallet: string): Promise<bigint[]> {
    return this.#moved([null, wallet], this.token);
  }

  async #moved(between: readonly (string | null)[], token: string): Promise<bigint[]> {
    const transfer = there(erc20.getEvent('Transfer'));
    const topics = erc20.encodeFilterTopics(transfer, between);
    const logs = await this.provider.getLogs({ address: token, topics, fromBlock: 0 });
    // A charge moves the shares of all recipients in one transaction.
    const sums = new Map<string, bigint>();
    for (const { transactionHash, data, topics: of } of logs) {
      const value = BigInt(erc20.decodeEventLog(transfer, data, of)['value']);
      sums.set(transactionHash, (sums.get(transactionHash) ?? 0n) + value);
    }
    return [...sums.values()];
  }

  async allowance(wallet: string, operator: string, token = this.token): Promise<bigint> {
    const data = erc20.encodeFunctionData('allowance', [wallet, operator]);
    return BigInt(await this.provider.call({ to: token, data }));
  }

  async approve(from: Wallet, operator: string, amount: bigint, token = this.token): Promise<void> {
    const data = erc20.encodeFunctionData('approve', [operator, amount]);
    const { hash } = await from.sendTransaction({ to: token, data });
    await receiptOf(this.provider, hash);
  }

  async transfer(from: Wallet, to: string, amount: bigint, token = this.token): Promise<void> {
    const data = erc20.encodeFunctionData('transfer', [to, amount]);
    const { hash } = await from.sendTransaction({ to: token, data });
    await receiptOf(this.provider, hash);
  }

  /** A new wallet with gas and tokens, and without approvals. */
  async newPayer(tokens: bigint): Promise<Wallet> {
    const wallet = new Wallet(Wallet.createRandom().privateKey, this.provider);
    const rich = this.payer('payer-10');
    const { hash } = await rich.sendTransaction({ to: wallet.address, value: 10n ** 18n });
    await receiptOf(this.provider, hash);
    if (tokens > 0n) await this.transfer(rich, wallet.address, tokens);
    return wallet;
  }

  /** Makes USDT of the local chain refuse approvals like that of Ethereum. Returns its address. */
  async makeUsdtStrict(): Promise<string> {
    const usdt = tokenNamed(this.facts, 'usdt-local-evm');
    const { StrictToken } = await testArtifacts();
    const { hash } = await this.payer('payer-10').sendTransaction({ data: StrictToken.bytecode });
    const { contractAddress } = z.object({ contractAddress: z.string() }).parse(await receiptOf(this.provider, hash));
    await this.provider.send('anvil_setCode', [usdt, await this.provider.getCode(contractAddress)]);
    return usdt;
  }

  get token(): string {
    return tokenNamed(this.facts, PLAYING_TOKEN_KEY);
  }
}

function there<T>(value: T | null): T {
  if (value === null) throw new Error('the service has not been started');
  return value;
}
