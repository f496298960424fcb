import fc from 'fast-check';
import { type Client, Violation } from './client.ts';
import type { Draft } from './draft.ts';
import type { Fault, Rule } from './fault.ts';
import type { Wire } from './wire.ts';

/** A violation, as small as it could be made. */
export interface Finding {
  readonly client: string;
  readonly faults: readonly Fault[];
  /** null: it is not about a single request. */
  readonly wire: Wire | null;
  readonly answer: string | null;
  /** How often it was made smaller. */
  readonly shrinks: number;
}

/** The limits of making a finding smaller: time, and attempts. */
const SHRINK_MS = 20_000;
const SHRINKS_MAX = 600;

export interface Batch {
  readonly name: string;
  readonly client: Client;
  readonly drafts: fc.Arbitrary<Draft>;
  readonly seed: number;
  readonly numRuns: number;
  /** When it aborts, the batch sends no further requests. */
  readonly signal: AbortSignal;
  /** When this time of `performance.now()` has passed, the batch sends no further requests. */
  readonly endsAt: number;
}

/** Draws requests and sends them. Returns the first finding, made smaller; null: none. */
export async function runBatch({
  name,
  client,
  drafts,
  seed,
  numRuns,
  signal,
  endsAt,
}: Batch): Promise<Finding | null> {
  const shrinking = new Shrinking();
  const property = fc.asyncProperty(drafts, async (draft) => {
    const isOver = shrinking.smallest === null ? signal.aborted || performance.now() >= endsAt : shrinking.isOver();
    if (isOver) return;
    try {
      await client.run(draft);
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      if (!shrinking.note(error)) return;
      client.freeze();
      throw error;
    }
  });
  const result = await fc.check(property, { seed, numRuns });
  const { smallest } = shrinking;
  if (smallest === null) {
    if (result.failed) throw result.errorInstance;
    return null;
  }
  const { faults, wire, exchange } = smallest;
  const answer = exchange === null ? null : `${exchange.status} ${exchange.body.subarray(0, 2_000).toString('utf8')}`;
  return { client: name, faults, wire, answer, shrinks: result.numShrinks };
}

/** A finding that is being made smaller. A violation of other rules does not count as a smaller form. */
class Shrinking {
  smallest: Violation | null = null;
  #rules: ReadonlySet<Rule> = new Set();
  #attempts = 0;
  #endsAt = 0;

  /** False: the violation breaks other rules. */
  note(violation: Violation): boolean {
    const rules = violation.faults.map(({ rule }) => rule);
    if (this.smallest === null) {
      this.#rules = new Set(rules);
      this.#endsAt = performance.now() + SHRINK_MS;
    }
    if (!rules.some((rule) => this.#rules.has(rule))) return false;
    this.smallest = violation;
    return true;
  }

  isOver(): boolean {
    this.#attempts += 1;
    return this.#attempts > SHRINKS_MAX || performance.now() > this.#endsAt;
  }
}
