import type { Wallet } from 'ethers';
import { z } from 'zod';
import { insist } from '../../stage/merchant-client.ts';
import { challengeSchema, signChallenge } from '../../stage/sign-challenge.ts';
import { TOKEN_KEY } from '../../stage/tokens.ts';
import { PAYMENT, type Story } from './stories.ts';
import type { World } from './world.ts';

const agreed = z.object({ agreement: z.string() });

/** Repeats the requests until the service answers with the id, and the payer has signed. The id must never change. */
export async function ask(world: World, story: Story, signal: AbortSignal): Promise<string> {
  const id = await insist(() => asked(world, story, signal), signal);
  if (story.id !== null && story.id !== id) {
    throw new Error(`${story.idempotencyKey} was ${story.id}, but a repeated request returned ${id}`);
  }
  story.id = id;
  return id;
}

async function asked(world: World, story: Story, signal: AbortSignal): Promise<string> {
  const { merchant, sale } = world;
  const { idempotencyKey, payer, kind } = story;
  // The next attempt goes to another process.
  const once = { signal, maxRetries: 0 };
  if (kind === 'payment') {
    const wallets = { fromWallet: payer.wallet, toWallet: merchant.payoutWallet };
    const order = { ...wallets, tokenKey: TOKEN_KEY, amount: PAYMENT.amount, idempotencyKey };
    return (await merchant.api.payments.create(order, once)).id;
  }
  const order = { priceId: sale.priceId, customerId: payer.customerId, idempotencyKey };
  const { id, authorizationUrl } = await merchant.api.subscriptions.create(order, once);
  // A repeated request has no link if the signature has arrived before.
  if (payer.signer !== null && authorizationUrl)
    await sign(world, { story, signer: payer.signer, authorizationUrl }, signal);
  return id;
}

interface Signing {
  readonly story: Story;
  readonly signer: Wallet;
  readonly authorizationUrl: string;
}

/** Signs a mandate as the page of the link does. */
async function sign(
  { merchant: { client } }: World,
  { story, signer, authorizationUrl }: Signing,
  signal: AbortSignal,
): Promise<void> {
  const link = `/authorizations/${authorizationUrl.split('/').at(-1)}`;
  const { address } = signer;
  const challenge = challengeSchema.parse(await client.checkout('POST', `${link}/challenges`, { address }, signal));
  const signature = await signChallenge(signer, challenge);
  const { agreement } = agreed.parse(challenge.typedData?.message);
  // Before the request: its answer may be lost.
  if (!story.agreements.includes(agreement)) story.agreements.push(agreement);
  await client.checkout('POST', link, { address, message: challenge.message, signature }, signal);
}

/**
 * Charges the next period of a subscription now, or its first if that is not charged yet. The request has no
 * idempotency key: it is sent once, and the verdict checks its result. False: no answer reported that it settled.
 */
export async function chargeNext({ merchant }: World, story: Story, signal: AbortSignal): Promise<boolean> {
  if (story.id === null) throw new Error(`${story.idempotencyKey} cannot be charged before it exists`);
  story.asked += 1;
  try {
    const once = { signal, maxRetries: 0 };
    const { outcome, paymentId } = await merchant.api.sandbox.charge({ subscriptionId: story.id }, once);
    if (outcome !== 'settled') return false;
    story.answered.push(paymentId ?? 'no payment');
    return true;
  } catch {
    return false;
  }
}
