import { parseUnits } from 'ethers';
import { z } from 'zod';
import type { Mandate } from '../../../../src/chains/evm/contracts/mandates.ts';
import { walletNamed } from '../../../lib/devnet-facts.ts';
import { requestJson } from '../../../lib/json-request.ts';
import { money } from '../../shop.ts';
import type { Stage } from '../../stage.ts';
import { Payer } from '../../wallet.ts';
import { firstCharge } from '../subscription/charges.ts';
import { COFFEE_CLUB, type Subscribed } from '../subscription/plan.ts';
import type { OnSale } from './offer.ts';

/** A payer whom the thief would like to rob. */
export interface Victim {
  readonly name: string;
  /** What the payer has agreed to, as words after the name. */
  readonly consent: string;
  readonly payer: Payer;
}

/**
 * A mandate with the payer's signature. Both are in the call data of its first charge, where everybody can read them.
 */
export interface SignedMandate {
  readonly mandate: Mandate;
  readonly signature: string;
}

/** A victim with a subscription. */
export type Subscriber = Victim & Subscribed;

/** What the victims approve: a year. */
export const YEAR = 12n;

const challengeSchema = z.object({
  message: z.string(),
  typedData: z.object({
    domain: z.looseObject({}),
    types: z.looseObject({ Mandate: z.array(z.object({ name: z.string(), type: z.string() })) }),
    message: z.object({
      payer: z.string(),
      merchant: z.string(),
      token: z.string(),
      perCharge: z.string().transform(BigInt),
      charges: z.int(),
      interval: z.int(),
      start: z.int(),
      end: z.int(),
      issuedAt: z.int(),
      platform: z.string(),
      feeBps: z.int(),
      payees: z.array(z.string()),
      agreement: z.string(),
      terms: z.string(),
    }),
  }),
});

const sessionSchema = z.object({
  asked: z.object({ operator: z.string() }),
  outcome: z.object({ subscription: z.object({ id: z.string() }) }),
});

export function victim(stage: Stage, wallet: string, name: string, consent: string): Victim {
  return { name, consent, payer: new Payer(walletNamed(stage.world.chain, wallet), stage.world.provider) };
}

/** The payer signs at the checkout, by the calls that its page makes, and approves a year for the bounded operator. */
export async function signAtCheckout(
  stage: Stage,
  who: Victim,
  { offerId, priceId }: OnSale,
): Promise<Subscriber & SignedMandate> {
  const { world, timeline } = stage;
  const { address } = who.payer;
  const offer = `${world.url}/checkout/api/offers/${offerId}`;
  const { message, typedData } = await requestJson({
    method: 'POST',
    url: `${offer}/challenges`,
    body: { address, priceId },
    schema: challengeSchema,
    expected: [201],
  });
  const signature = await who.payer.sign(typedData);
  const session = await requestJson({
    method: 'POST',
    url: `${offer}/subscriptions`,
    body: { priceId, address, message, signature, sessionKey: `demo-session-of-${address}` },
    schema: sessionSchema,
    expected: [200, 201],
  });
  timeline.add({ at: new Date().toISOString(), what: `${who.name} signs a mandate` });
  await approveYear(stage, who, session.asked.operator);
  const subscriber = { ...who, id: session.outcome.subscription.id, plan: COFFEE_CLUB };
  await firstCharge(stage, subscriber);
  return { ...subscriber, mandate: typedData.message, signature };
}

/** The payer approves the open operator and signs nothing; the merchant subscribes the wallet by the API. */
export async function approveByApi(stage: Stage, who: Victim, { priceId }: OnSale): Promise<Subscriber> {
  const { shop, timeline } = stage;
  const { api } = shop.merchant;
  const wallets = [{ chainFamily: 'evm' as const, address: who.payer.address }];
  const { id: customerId } = await api.customers.create({ name: who.name, wallets });
  const { id, status } = await api.subscriptions.create({ priceId, customerId });
  timeline.add({ at: new Date().toISOString(), what: `${who.name} is subscribed by the API`, status });
  await approveYear(stage, who, shop.operator);
  const subscriber = { ...who, id, plan: COFFEE_CLUB };
  await firstCharge(stage, subscriber);
  return subscriber;
}

export async function approveYear({ shop, timeline }: Stage, { name, payer }: Victim, operator: string): Promise<void> {
  const allowance = priceOf(shop.token.decimals) * YEAR;
  const txHash = await payer.approve(shop.token.address, operator, allowance);
  const amount = money(allowance, shop.token);
  timeline.add({ at: new Date().toISOString(), what: `${name} approves ${YEAR} cycles`, amount, txHash });
}

export function priceOf(decimals: number): bigint {
  return parseUnits(COFFEE_CLUB.price, decimals);
}
