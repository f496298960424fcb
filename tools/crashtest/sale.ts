import { MaxUint256, Wallet } from 'ethers';
import type { Tideline } from 'tideline/client';
import { z } from 'zod';
import { type DevnetFacts, type TestWallet, walletNamed } from '../../scripts/lib/devnet-facts.ts';
import { LocalChain } from '../../stage/local-chain.ts';
import { operatorFor } from '../../stage/merchant.ts';
import type { MerchantClient } from '../../stage/merchant-client.ts';
import { TOKEN_KEY } from '../../stage/tokens.ts';

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
export interface Sale {
  readonly priceId: string;
  /** The address that payers approve for payments and subscriptions that the merchant makes by the API. */
  readonly operator: string;
  readonly payers: readonly Payer[];
  /** The wallets that charges may pay: the merchant's, and the platform's. */
  readonly recipients: readonly string[];
}

/** The test wallet that has approved every merchant; the others approve in `openSale`. */
const APPROVED = 'approved';

const onSale = z.object({
  pricing: z.tuple([z.object({ acceptedTokens: z.tuple([z.object({ operator: z.string() })]) })]),
});

export interface SaleOptions {
  /** Up to 11. The first is the test wallet that approves everybody; the others approve here. */
  readonly payers?: number;
  /** How many of the others sign mandates. */
  readonly signers?: number;
  readonly interval?: 'day' | 'month';
}

/** Makes a payout wallet, an offer and customers who have approved. Only the subscription is missing. */
export async function openSale(
  { api, checkout, facts }: { readonly api: Tideline; readonly facts: DevnetFacts } & Pick<MerchantClient, 'checkout'>,
  { payers = 1, signers = 0, interval = 'month' }: SaleOptions,
): Promise<Sale> {
  const receiverWallet = walletNamed(facts, 'merchant').address;
  await api.wallets.register({ tokenKey: TOKEN_KEY, receiverWallet });
  const price = {
    amount: PRICE.amount,
    acceptedTokens: [TOKEN_KEY],
    billing: { type: 'recurring' as const, interval },
  };
  const { id, pricing } = await api.offers.create({ name: `Every ${interval}`, pricing: [price] });
  const operator = await operatorFor(api, TOKEN_KEY);
  const others = Array.from({ length: payers - 1 }, (_, index) => walletNamed(facts, `payer-${index + 1}`));
  const signing = others.slice(0, signers);
  const open = others.slice(signers);
  await approve(facts, operator, open);
  // The operator that payers approve at the checkout is another one.
  const [shown] = onSale.parse(await checkout('GET', `/offers/${id}`)).pricing;
  await approve(facts, shown.acceptedTokens[0].operator, signing);
  const payerOf = async (wallet: string, signer: Wallet | null): Promise<Payer> => {
    const { id: customerId } = await api.customers.create({ wallets: [{ chainFamily: 'evm', address: wallet }] });
    return { wallet, customerId, signer };
  };
  return {
    priceId: pricing[0]?.id ?? '',
    operator,
    payers: await Promise.all([
      ...[walletNamed(facts, APPROVED), ...open].map(({ address }) => payerOf(address, null)),
      ...signing.map(({ address, privateKey }) => payerOf(address, new Wallet(privateKey))),
    ]),
    recipients: [receiverWallet, walletNamed(facts, 'platform').address],
  };
}

/** Makes these wallets approve `operator` without limit. */
async function approve(facts: DevnetFacts, operator: string, wallets: readonly TestWallet[]): Promise<void> {
  const chain = new LocalChain(facts);
  const each = wallets.map(({ privateKey }) =>
    chain.approve(new Wallet(privateKey, chain.provider), operator, MaxUint256),
  );
  await Promise.all(each).finally(() => chain.close());
}
