import { StoreUnavailable } from './errors.ts';

export interface CoalesceOptions<Ask, Answer> {
  /** Runs all asks at once and answers in their order. `again`: an earlier, failed run may have done a part of the work. */
  readonly run: (asks: readonly Ask[], again: boolean) => Promise<readonly Answer[]>;
  /** How much one ask adds to a batch. */
  readonly sizeOf: (ask: Ask) => number;
  /** A batch takes no further ask once it is this large. */
  readonly maxSize: number;
  readonly maxFlights: number;
}

interface Waiting<Ask, Answer> {
  readonly ask: Ask;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Natural batching: asks that arrive during a flight share the next batch. An ask that finds a free flight starts at once. If
 * one ask makes a batch fail, each ask runs again alone, so only that one is rejected. If the database does not answer, all
 * are rejected.
 */
export class Coalescer<Ask, Answer> {
  readonly #options: CoalesceOptions<Ask, Answer>;
  #waiting: Waiting<Ask, Answer>[] = [];
  #flights = 0;

  constructor(options: CoalesceOptions<Ask, Answer>) {
    this.#options = options;
  }

  ask(ask: Ask): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ask, resolve, reject });
      // A microtask later, so that a loop over asks makes one batch.
      if (this.#waiting.length === 1) queueMicrotask(() => this.#depart());
    });
  }

  #depart(): void {
    while (this.#flights < this.#options.maxFlights && this.#waiting.length > 0) {
      this.#flights += 1;
      void this.#fly(this.#nextBatch());
    }
  }

  #nextBatch(): Waiting<Ask, Answer>[] {
    const { sizeOf, maxSize } = this.#options;
    let size = 0;
    const full = this.#waiting.findIndex(({ ask }) => {
      const had = size;
      size += sizeOf(ask);
      return had > 0 && size > maxSize;
    });
    const batch = full < 0 ? this.#waiting : this.#waiting.slice(0, full);
    this.#waiting = full < 0 ? [] : this.#waiting.slice(full);
    return batch;
  }

  async #fly(batch: readonly Waiting<Ask, Answer>[]): Promise<void> {
    try {
      await this.#run(batch, false);
    } catch (error) {
      const isShared = batch.length === 1 || error instanceof StoreUnavailable;
      if (isShared) for (const { reject } of batch) reject(error);
      else await Promise.all(batch.map((one) => this.#run([one], true).catch(one.reject)));
    }
    this.#flights -= 1;
    this.#depart();
  }

  async #run(batch: readonly Waiting<Ask, Answer>[], again: boolean): Promise<void> {
    const answers = await this.#options.run(
      batch.map(({ ask }) => ask),
      again,
    );
    for (const [i, { resolve, reject }] of batch.entries()) {
      const answer = answers[i];
      if (answer === undefined) reject(new Error(`a batch of ${batch.length} asks got ${answers.length} answers`));
      else resolve(answer);
    }
  }
}
