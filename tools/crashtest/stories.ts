import type { Payer, Sale } from './sale.ts';

export const PAYMENT = { amount: '3.00', baseUnits: 3_000_000n } as const;

/** What a merchant requests while processes die: one, by its idempotency key, however often it asks. */
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
  /** The agreements of the mandates that its payer signed, the last one at the end. None: its payer signs nothing. */
  readonly agreements: string[];
  /** The payments that answers reported as settled, one entry per answer. */
  readonly answered: string[];
}

/** All stories of one world, in order. */
export class Stories {
  readonly all: Story[] = [];
  readonly #sale: Sale;

  constructor(sale: Sale) {
    this.#sale = sale;
  }

  /** Starts a story of the next payer in turn. */
  begin(kind: Story['kind'], about: string): Story {
    // A one-off payment by the API charges the open operator.
    const payers = this.#sale.payers.filter(({ signer }) => kind === 'subscription' || signer === null);
    const payer = payers[this.all.length % payers.length];
    if (!payer) throw new Error('the sale has no payers');
    const idempotencyKey = `story-${this.all.length + 1}`;
    const story: Story = { kind, about, idempotencyKey, payer, id: null, asked: 1, agreements: [], answered: [] };
    this.all.push(story);
    return story;
  }

  unanswered(): Story[] {
    return this.all.filter(({ id }) => id === null);
  }
}
