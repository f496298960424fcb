import type { ChargeDoc } from '../../store/collections.ts';
import type { ChainContext } from '../context.ts';
import { type LanePlace, takeWaiting } from './take.ts';

export type WindowContext = Pick<ChainContext, 'chainId' | 'records' | 'clock'>;

/**
 * How many waiting charges a lane looks at, and how old that look may be: for several transactions, for a look reads those of
 * the other lanes too.
 */
const SIZE = 300;
const FRESH_MS = 5_000;

/**
 * What waits for one lane, read once for several transactions. From it merchants take turns, each with its longest waiting
 * charge: who has hundreds due at once keeps nobody else from being charged. What others have taken meanwhile falls out when
 * it is claimed.
 */
export class WaitingWindow {
  readonly #ctx: WindowContext;
  readonly #place: LanePlace;
  #waiting: readonly ChargeDoc[] = [];
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(ctx: WindowContext, place: LanePlace) {
    this.#ctx = ctx;
    this.#place = place;
  }

  /** Up to `limit` charges of these tokens, which are not given again before they are read again. */
  async take(tokens: readonly string[], limit: number): Promise<ChargeDoc[]> {
    const isStale = performance.now() - this.#readAt > FRESH_MS;
    if (isStale || this.#waiting.length < limit) {
      this.#readAt = performance.now();
      this.#waiting = await takeWaiting(this.#ctx, this.#place, tokens, Math.max(SIZE, limit));
    }
    const { taken, left } = inTurns(this.#waiting, limit);
    this.#waiting = left;
    return taken;
  }

  /** Given before, and not taken after all: it is given first next time. */
  putBack(charges: readonly ChargeDoc[]): void {
    this.#waiting = [...charges, ...this.#waiting];
  }

  /** What has been read is not to be trusted any more. */
  clear(): void {
    this.#waiting = [];
  }
}

/** Merchants in turns, in the order of their longest waiting charges. */
export function inTurns(
  waiting: readonly ChargeDoc[],
  limit: number,
): { readonly taken: ChargeDoc[]; readonly left: readonly ChargeDoc[] } {
  const queues = new Map<string, ChargeDoc[]>();
  for (const charge of waiting) {
    const queue = queues.get(charge.merchantId);
    if (queue) queue.push(charge);
    else queues.set(charge.merchantId, [charge]);
  }
  const taken: ChargeDoc[] = [];
  for (let turn = 0; taken.length < Math.min(limit, waiting.length); turn += 1) {
    for (const queue of queues.values()) {
      const charge = queue[turn];
      if (charge !== undefined && taken.length < limit) taken.push(charge);
    }
  }
  const gone = new Set(taken);
  return { taken, left: waiting.filter((charge) => !gone.has(charge)) };
}
