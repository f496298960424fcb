import { z } from 'zod';
import { walletNamed } from '../../scripts/lib/devnet-facts.ts';
import { insist } from '../lib/merchant.ts';
import { type Payer, type Shop, TOKEN_KEY } from '../lib/shop.ts';
import type { World } from './world.ts';

/**
 * A subscription or payment that a merchant requests while processes die. Its idempotency key makes it one, however often it is
 * requested.
 */
export interface Story {
  readonly kind: 'subscription' | 'payment';
  /** A label for violations of this story. */
  readonly about: string;
  readonly idempotencyKey: string;
  readonly payer: Payer;
  /** null until the service answers 2xx. */
  id: string | null;
  /** The limit of charges, the first included. */
  asked: number;
  /** The payments that answers reported as settled, one entry per answer. */
  readonly answered: string[];
}

/** All stories of one world, in order. */
export class Stories {
  readonly all: Story[] = [];
  readonly #shop: Shop;

  constructor(shop: Shop) {
    this.#shop = shop;
  }

  /** Starts a story of the next payer in turn. */
  begin(kind: Story['kind'], about: string): Story {
    const { payers } = this.#shop;
    const payer = payers[this.all.length % payers.length];
    if (!payer) throw new Error('the shop has no payers');
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

/** Repeats the request until the service answers with the id. The id must never change. */
export async function ask(world: World, story: Story, signal: AbortSignal): Promise<string> {
  const { id } = withId.parse(await insist(() => asked(world, story, signal), signal));
  if (story.id !== null && story.id !== id) {
    throw new Error(`${story.idempotencyKey} was ${story.id}, but a repeated request returned ${id}`);
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

/** The amount of a one-off payment. */
export const PAYMENT = { amount: '3.00', baseUnits: 3_000_000n } as const;

const chargeAnswer = z.object({ outcome: z.string(), paymentId: z.string().nullish() });

/**
 * Charges the next period of a subscription now, or its first if that is not charged yet. The request has no idempotency key:
 * it is sent once, and the verdict checks its result. False: no answer reported that it settled.
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
