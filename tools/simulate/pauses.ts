import { pauseSubscription } from '../../src/billing/subscriptions/pause.ts';
import { resumeSubscription } from '../../src/billing/subscriptions/resume.ts';
import type { ActingDeps } from './merchant.ts';

/** Two ninths of the seeds: none that once failed. */
export function hasPauses(seed: number): boolean {
  return seed % 9 === 2 || seed % 9 === 8;
}

/** When nothing of a subscription may fall due: from the answer to the pause to the first call that ends it. */
export interface Paused {
  readonly subscriptionId: string;
  readonly from: number;
  until: number;
}

const HOUR_MS = 3_600_000;
/** The clock of a process may be ahead by this much. */
const SKEW_MS = 10_000;
const BY = 'api';

/** The pauses of one merchant, by the answers to its calls alone. */
export class Pauses {
  readonly all: Paused[] = [];
  /** A subscription may have been paused, also by a call without an answer. */
  isUsed = false;
  readonly #deps: ActingDeps;
  /** How many calls about a subscription have no answer yet, or had none: each may still change a later pause. */
  readonly #unsure = new Map<string, number>();
  /** How many calls about a subscription have begun that end a pause. */
  readonly #ends = new Map<string, number>();

  constructor(deps: ActingDeps) {
    this.#deps = deps;
  }

  /** Pauses it for some hours, or until it is resumed. */
  async begin(id: string): Promise<void> {
    this.isUsed = true;
    const { time, random, merchant, shop } = this.#deps;
    if (this.#unsureOf(id) > 0) return;
    const ends = this.ends(id);
    this.#unsure.set(id, 1);
    const until = random.next() < 0.5 ? new Date(time.now + random.integer(1, 120) * HOUR_MS) : null;
    const reported = await merchant.ask(`pause ${id}`, ({ billing }) =>
      pauseSubscription(billing, shop.tenant, id, { until, by: 'merchant' }, BY),
    );
    const end = until === null ? Number.POSITIVE_INFINITY : until.getTime() - SKEW_MS;
    // A call that began before this answer may have ended the pause.
    const goesOn = reported.kind === 'answered' && this.#ends.get(id) === ends;
    if (goesOn) this.all.push({ subscriptionId: id, from: time.now, until: end });
    if (reported.kind !== 'nothing') this.#unsure.set(id, this.#unsureOf(id) - 1);
  }

  async resume(id: string): Promise<void> {
    const { merchant, shop } = this.#deps;
    this.ends(id);
    this.#unsure.set(id, this.#unsureOf(id) + 1);
    const resumed = await merchant.ask(`resume ${id}`, ({ billing }) =>
      resumeSubscription(billing, shop.tenant, id, BY),
    );
    if (resumed.kind !== 'nothing') this.#unsure.set(id, this.#unsureOf(id) - 1);
  }

  #unsureOf(id: string): number {
    return this.#unsure.get(id) ?? 0;
  }

  /** A call begins that ends a pause. Returns how many have. */
  ends(id: string): number {
    const { now } = this.#deps.time;
    for (const paused of this.all) if (paused.subscriptionId === id) paused.until = Math.min(paused.until, now);
    const count = (this.#ends.get(id) ?? 0) + 1;
    this.#ends.set(id, count);
    return count;
  }
}
