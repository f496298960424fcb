import type { Wallet } from 'ethers';
import { z } from 'zod';
import { requestJson } from '../../../scripts/lib/json-request.ts';
import type { Mandate } from '../../../src/chains/evm/contracts/mandates.ts';
import { withAmounts } from '../../../src/chains/mandate-rules.ts';
import { challengeSchema } from '../../../src/checkout/wire.ts';
import type { Merchant } from '../../merchant.ts';
import { insist } from '../../merchant-client.ts';
import type { OnSale } from '../../seller.ts';
import type { Setting } from '../../setting.ts';
import { inTokens, units } from '../../tokens.ts';
import { until } from '../../until.ts';

/** Where the thief is: one merchant on a stage. */
export interface Scene {
  readonly stage: Setting;
  readonly merchant: Merchant;
}

/** A payer whom the thief would like to rob. */
export interface Victim {
  readonly name: string;
  /** What the payer has agreed to, as words after the name. */
  readonly consent: string;
  readonly payer: Wallet;
}

/** A mandate and its signature. Both are in the call data of its first charge, where everybody reads them. */
export interface SignedMandate {
  readonly mandate: Mandate;
  readonly signature: string;
}

export interface Subscriber extends Victim {
  /** The id of the subscription. */
  readonly id: string;
}

/** What a cycle costs: as the API takes it, and in base units. */
export const PRICE = '9.90';
export const PRICE_UNITS = units(PRICE);

/** What the victims approve: a year. */
export const YEAR = 12n;

const sessionSchema = z.object({
  asked: z.object({ operator: z.string() }),
  outcome: z.object({ subscription: z.object({ id: z.string() }) }),
});

export function victim({ stage }: Scene, wallet: string, name: string, consent: string): Victim {
  return { name, consent, payer: stage.chain.wallet(wallet) };
}

/** How long a page asks again: the rate limit of visitors is by the minute, and all have one address here. */
const PATIENCE_MS = 120_000;

/** Signs up at the checkout, by the calls that its page makes. It approves nothing. */
export async function signUp(
  { stage }: Scene,
  payer: Pick<Wallet, 'address' | 'signTypedData'>,
  { offerId, priceId }: OnSale,
): Promise<SignedMandate & { readonly id: string; readonly operator: string }> {
  const { address } = payer;
  const offer = `${stage.url}/checkout/api/offers/${offerId}`;
  const post = <T>(path: string, body: object, schema: z.ZodType<T>): Promise<T> => {
    const request = { method: 'POST', url: `${offer}/${path}`, body, schema, expected: [200, 201] } as const;
    return insist(() => requestJson(request), AbortSignal.timeout(PATIENCE_MS));
  };
  const { message, typedData } = await post('challenges', { address, priceId }, challengeSchema);
  if (typedData === null) throw new Error('the challenge has no mandate');
  const { domain, types, message: terms } = typedData;
  const signature = await payer.signTypedData(domain, { Mandate: types.Mandate }, terms);
  const sessionKey = `demo-session-of-${address}`;
  const session = await post('subscriptions', { priceId, address, message, signature, sessionKey }, sessionSchema);
  const { asked, outcome } = session;
  const mandate = withAmounts(terms);
  return { mandate, signature, id: outcome.subscription.id, operator: asked.operator };
}

/** The payer signs at the checkout, and approves a year for the bounded operator. */
export async function signAtCheckout(scene: Scene, who: Victim, onSale: OnSale): Promise<Subscriber & SignedMandate> {
  const { operator, ...signed } = await signUp(scene, who.payer, onSale);
  scene.stage.narrator.add({ what: `${who.name} signs a mandate` });
  await approveYear(scene, who, operator);
  const subscriber = { ...who, ...signed };
  await firstCharge(scene, subscriber);
  return subscriber;
}

/** The payer approves the open operator and signs nothing; the merchant subscribes the wallet by the API. */
export async function approveByApi(scene: Scene, who: Victim, { priceId }: OnSale): Promise<Subscriber> {
  const { merchant, stage } = scene;
  const { api } = merchant;
  const wallets = [{ chainFamily: 'evm' as const, address: who.payer.address }];
  const { id: customerId } = await api.customers.create({ name: who.name, wallets });
  const { id, status } = await api.subscriptions.create({ priceId, customerId });
  stage.narrator.add({ what: `${who.name} is subscribed by the API`, status });
  await approveYear(scene, who, merchant.operator);
  const subscriber = { ...who, id };
  await firstCharge(scene, subscriber);
  return subscriber;
}

export async function approveYear({ stage }: Scene, { name, payer }: Victim, operator: string): Promise<void> {
  const allowance = PRICE_UNITS * YEAR;
  const txHash = await stage.chain.approve(payer, operator, allowance);
  const amount = inTokens(allowance);
  stage.narrator.add({ what: `${name} approves ${YEAR} cycles`, amount, txHash });
}

/** The service sees the allowance, and charges at once. */
async function firstCharge({ merchant, stage }: Scene, { id, name }: Subscriber): Promise<void> {
  const { status } = await until(
    `the subscription of ${name} is active`,
    async () => merchant.api.subscriptions.get(id),
    (subscription) => subscription.status === 'active',
  );
  stage.narrator.add({ what: `${name}'s subscription`, status });
}

/** Moves the subscription's clock to the next charge. Resolves with the outcome of the charge. */
export async function nextCycle({ merchant }: Scene, { id }: Subscriber): Promise<string> {
  await merchant.api.sandbox.advance({ subscriptionId: id });
  const [payment] = await merchant.payments({ subscriptionId: id });
  if (payment === undefined) throw new Error(`subscription ${id} has no payment`);
  const { status, failureReason } = payment;
  return failureReason === null ? status : `${status}, ${failureReason}`;
}
