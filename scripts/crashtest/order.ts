import { z } from 'zod';
import { type DevnetFacts, walletNamed } from './devnet-facts.ts';
import type { MerchantClient } from './merchant.ts';

/** What a subscription of {@link prepareOrder} costs, as the API takes it and in base units of the playing token. */
export const PRICE = { amount: '10.00', baseUnits: 10_000_000n } as const;

/** What the merchant asks for; the local chain plays it. */
export const TOKEN_KEY = 'usdc-base';

/** The token of the local chain that plays {@link TOKEN_KEY}. */
export const PLAYING_TOKEN_KEY = 'usdc-local-evm';

/** The body of POST /subscriptions. */
export interface Order {
  readonly priceId: string;
  readonly customerId: string;
}

const withId = z.object({ id: z.string() });
const offer = z.object({ pricing: z.tuple([withId]) });

/** A payout wallet, a monthly offer and a customer who has approved: what is left is the subscription. */
export async function prepareOrder(merchant: MerchantClient, facts: DevnetFacts): Promise<Order> {
  const receiverWallet = walletNamed(facts, 'merchant').address;
  await merchant.call('POST', '/wallets', { tokenKey: TOKEN_KEY, receiverWallet });
  const billing = { type: 'recurring', interval: 'month' };
  const made = await merchant.call('POST', '/offers', {
    name: 'Monthly',
    pricing: [{ amount: PRICE.amount, acceptedTokens: [TOKEN_KEY], billing }],
  });
  const wallets = [{ chainFamily: 'evm', address: walletNamed(facts, 'approved').address }];
  const customer = withId.parse(await merchant.call('POST', '/customers', { wallets }));
  return { priceId: offer.parse(made).pricing[0].id, customerId: customer.id };
}
