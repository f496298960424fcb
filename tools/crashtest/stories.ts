import { z } from 'zod';
import { walletNamed } from '../../scripts/lib/devnet-facts.ts';
import { insist } from '../lib/merchant.ts';
import { type Payer, type Shop, TOKEN_KEY } from '../lib/shop.ts';
import type { World } from './world.ts';

/** Something that a merchant asks for while processes die. Its idempotency key makes it one, however often it is asked for. */
export interface Story {
  readonly kind: 'subscription' | 'payment';
  /** What it was begun under: what a violation of it is put down to. */
  readonly about: string;
  readonly idempotencyKey: string;
  readonly payer: Payer;
  /** null until the service has answered 2xx. */
  id: string | null;
  /** How many charges there may be, the first included. */
  asked: number;
  /** The payments of which it was answered that they settled, one for each answer. */
  readonly answered: string[];
}

/** Every story of one world, in the order in which they were begun. */
export class Stories {
  readonly all: Story[] = [];
  readonly #shop: Shop;

  constructor(shop: Shop) {
    this.#shop = shop;
  }

  /** Its payer is the next in turn. */
  begin(kind: Story['kind'], about: string): Story {
    const { payers } = this.#shop;
    const payer = payers[this.all.length % payers.length];
    if (!payer) throw new Error('nobody can pay');
    const idempotencyKey = `story-${this.all.length + 1}`;
    const story: Story = { kind, about, idempotencyKey, payer, id: null, asked: 1, answered: [] };
    this.all.push(story);
    return story;
  }

  unanswered(): Story[] {
    return this.all.filter(({ id }) => id === null);
  }
}

const withId = z.object({ id: z.string() });

/** Asks for it until the service says that it has it. An id that has been said must never change. */
export async function ask(world: World, story: Story, signal: AbortSignal): Promise<string> {
  const { id } = withId.parse(await insist(() => asked(world, story, signal), signal));
  if (story.id !== null && story.id !== id) {
    throw new Error(`${story.idempotencyKey} was ${story.id}, and is ${id} when it is asked for again`);
  }
  story.id = id;
  return id;
}

function asked({ merchant, shop, facts }: World, { kind, idempotencyKey, payer }: Story, signal: AbortSignal) {
  if (kind === 'subscription') {
    const body = { priceId: shop.priceId, customerId: payer.customerId, idempotencyKey };
    return merchant.call('POST', '/subscriptions', body, signal);
  }
  const body = {
    tokenKey: TOKEN_KEY,
    amount: PAYMENT.amount,
    fromWallet: payer.wallet,
    toWallet: walletNamed(facts, 'merchant').address,
    idempotencyKey,
  };
  return merchant.call('POST', '/payments', body, signal);
}

/** What a one-off payment of a story moves. */
export const PAYMENT = { amount: '3.00', baseUnits: 3_000_000n } as const;

const chargeAnswer = z.object({ outcome: z.string(), paymentId: z.string().nullish() });

/**
 * Charges the next period of a subscription now; its first, where that has not been charged yet. It has no key: asked for
 * once, and what became of it is seen later. False: nobody has answered that it settled.
 */
export async function chargeNext({ merchant }: World, story: Story, signal: AbortSignal): Promise<boolean> {
  if (story.id === null) throw new Error(`${story.idempotencyKey} cannot be charged before it exists`);
  story.asked += 1;
  try {
    const body = { subscriptionId: story.id };
    const answer = chargeAnswer.parse(await merchant.call('POST', '/sandbox/charge', body, signal));
    if (answer.outcome !== 'settled') return false;
    story.answered.push(answer.paymentId ?? 'no payment');
    return true;
  } catch {
    return false;
  }
}
