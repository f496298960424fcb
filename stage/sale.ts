import { MaxUint256, Wallet } from 'ethers';
import { z } from 'zod';
import { type DevnetFacts, walletNamed } from '../scripts/lib/devnet-facts.ts';
import { LocalChain } from './local-chain.ts';
import type { MerchantClient } from './merchant-client.ts';
import { TOKEN_KEY } from './tokens.ts';

/** The price of a subscription: as the API takes it, and in base units of the playing token. */
export const PRICE = { amount: '10.00', baseUnits: 10_000_000n } as const;

/** A payer with its own customer, whose wallet has approved. */
export interface Payer {
  /** Checksummed. */
  readonly wallet: string;
  readonly customerId: string;
  /**
   * Signs mandates at the links of subscriptions. null: the wallet has approved the open operator, and signs nothing.
   */
  readonly signer: Wallet | null;
}

/** The merchant's offer and its payers. */
export interface Shop {
  readonly priceId: string;
  readonly payers: readonly Payer[];
  /** The wallets that charges may pay: the merchant's, and the platform's. */
  readonly recipients: readonly string[];
}

/** The test wallet that has approved every merchant; the others approve in `openShop`. */
const APPROVED = 'approved';

const withId = z.object({ id: z.string() });
const offer = z.object({ id: z.string(), pricing: z.tuple([withId]) });
const onSale = z.object({
  pricing: z.tuple([z.object({ acceptedTokens: z.tuple([z.object({ operator: z.string() })]) })]),
});
const catalog = z.object({
  chains: z.array(z.object({ operator: z.string().nullable(), tokens: z.array(z.object({ key: z.string() })) })),
});

export interface ShopOptions {
  /** Up to 11. The first is the test wallet that approves everybody; the others approve here. */
  readonly payers?: number;
  /** How many of the others sign mandates. */
  readonly signers?: number;
  readonly interval?: 'day' | 'month';
}

/** Makes a payout wallet, an offer and customers who have approved. Only the subscription is missing. */
export async function openShop(
  merchant: MerchantClient,
  facts: DevnetFacts,
  { payers = 1, signers = 0, interval = 'month' }: ShopOptions = {},
): Promise<Shop> {
  const receiverWallet = walletNamed(facts, 'merchant').address;
  await merchant.call('POST', '/wallets', { tokenKey: TOKEN_KEY, receiverWallet });
  const billing = { type: 'recurring', interval };
  const made = await merchant.call('POST', '/offers', {
    name: `Every ${interval}`,
    pricing: [{ amount: PRICE.amount, acceptedTokens: [TOKEN_KEY], billing }],
  });
  const others = Array.from({ length: payers - 1 }, (_, index) => walletNamed(facts, `payer-${index + 1}`));
  const { id, pricing } = offer.parse(made);
  const signing = others.slice(0, signers);
  const open = others.slice(signers);
  if (open.length > 0) await approve(facts, await operatorOf(merchant), open);
  if (signing.length > 0) await approve(facts, await boundedOperatorOf(merchant, id), signing);
  return {
    priceId: pricing[0].id,
    payers: await Promise.all([
      ...[walletNamed(facts, APPROVED), ...open].map(({ address }) => payerOf(merchant, address, null)),
      ...signing.map(({ address, privateKey }) => payerOf(merchant, address, new Wallet(privateKey))),
    ]),
    recipients: [receiverWallet, walletNamed(facts, 'platform').address],
  };
}

async function payerOf(merchant: MerchantClient, wallet: string, signer: Wallet | null): Promise<Payer> {
  const wallets = [{ chainFamily: 'evm', address: wallet }];
  const { id } = withId.parse(await merchant.call('POST', '/customers', { wallets }));
  return { wallet, customerId: id, signer };
}

/** The operator that payers approve at the checkout. */
async function boundedOperatorOf(merchant: MerchantClient, offerId: string): Promise<string> {
  const { pricing } = onSale.parse(await merchant.checkout('GET', `/offers/${offerId}`));
  return pricing[0].acceptedTokens[0].operator;
}

/** The operator that this merchant's payers approve for POST /payments and POST /subscriptions. */
export async function operatorOf(merchant: MerchantClient): Promise<string> {
  const { chains } = catalog.parse(await merchant.call('GET', '/currencies'));
  const found = chains.find(({ tokens }) => tokens.some(({ key }) => key === TOKEN_KEY))?.operator;
  if (!found) throw new Error(`GET /currencies names no operator for ${TOKEN_KEY}`);
  return found;
}

/** Makes these wallets approve `operator` for an amount in base units; without limit by default. */
async function approve(
  facts: DevnetFacts,
  operator: string,
  wallets: DevnetFacts['wallets'],
  amount = MaxUint256,
): Promise<void> {
  const chain = new LocalChain(facts);
  const each = wallets.map(({ privateKey }) => chain.approve(new Wallet(privateKey, chain.provider), operator, amount));
  await Promise.all(each).finally(() => chain.close());
}
