import { MaxUint256, type Wallet } from 'ethers';
import { z } from 'zod';
import type { Merchant } from '../../stage/merchant.ts';

/** The price of a subscription: as the API takes it, and in base units of the playing token. */
export const PRICE = { amount: '10.00', baseUnits: 10_000_000n } as const;

/** A payer with its own customer, whose wallet has approved. */
export interface Payer {
  /** Checksummed. */
  readonly wallet: string;
  readonly customerId: string;
  /** Signs mandates at the links. null: the wallet has approved the open operator, and signs nothing. */
  readonly signer: Wallet | null;
}

/** The merchant's offer and its payers. */
export interface Sale {
  readonly priceId: string;
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
}

/**
 * Several payers, because the subscriptions of one wallet share its allowance and are checked together: many of one
 * would be another test. As many sign mandates as the checkout's rate limit for one address lets sign.
 */
export const MANY_PAYERS = { payers: 11, signers: 5 } as const;

/** Makes an offer and customers who have approved. Only the subscription is missing. */
export async function openSale(merchant: Merchant, { payers = 1, signers = 0 }: SaleOptions): Promise<Sale> {
  const { chain } = merchant.stage;
  const { offerId, priceId } = await merchant.createOffer({ price: PRICE.amount, every: 'month' });
  const others = Array.from({ length: payers - 1 }, (_, index) => chain.wallet(`payer-${index + 1}`));
  const [signing, open] = [others.slice(0, signers), others.slice(signers)];
  // The operator that payers approve at the checkout is another one.
  const [shown] = onSale.parse(await merchant.client.checkout('GET', `/offers/${offerId}`)).pricing;
  await Promise.all([
    ...open.map((wallet) => chain.approve(wallet, merchant.operator, MaxUint256)),
    ...signing.map((wallet) => chain.approve(wallet, shown.acceptedTokens[0].operator, MaxUint256)),
  ]);
  const payerOf = async (wallet: string, signer: Wallet | null): Promise<Payer> => {
    const { id } = await merchant.api.customers.create({ wallets: [{ chainFamily: 'evm', address: wallet }] });
    return { wallet, customerId: id, signer };
  };
  return {
    priceId,
    payers: await Promise.all([
      ...[chain.addressOf(APPROVED), ...open.map(({ address }) => address)].map((wallet) => payerOf(wallet, null)),
      ...signing.map((wallet) => payerOf(wallet.address, wallet)),
    ]),
    recipients: [merchant.payoutWallet, chain.addressOf('platform')],
  };
}
