import { StoreUnavailable } from './errors.ts';

export interface CoalesceOptions<Ask, Answer, Key> {
  /**
   * Runs a batch and answers its asks in order. `again`: an earlier run failed and may have done a part of this ask.
   */
  readonly run: (asks: readonly Ask[], key: Key, again: boolean) => Promise<readonly Answer[]>;
  /** How much an ask adds to a batch. Default: 1. */
  readonly sizeOf?: (ask: Ask) => number;
  /** A batch of this size takes no more asks. Default: no limit. */
  readonly maxSize?: number;
  /** The most batches of one key at a time. */
  readonly concurrency: number;
  /**
   * True: the error of a batch rejects all its asks. Default: each ask runs again alone, unless the database does not
   * answer.
   */
  readonly sharesErrors?: boolean;
}

interface Waiting<Ask, Answer> {
  readonly ask: Ask;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

interface Group<Ask, Answer, Key> {
  readonly key: Key;
  waiting: Waiting<Ask, Answer>[];
  running: number;
}

/**
 * Answers many callers with few calls. An ask starts at once if fewer than `concurrency` batches of its key run; asks
 * that come meanwhile make the next batch. A batch takes only asks that came before it began, so no answer is older
 * than its ask.
 */
export class Coalescer<Ask, Answer, Key = void> {
  readonly #options: CoalesceOptions<Ask, Answer, Key>;
  readonly #groups = new Map<Key, Group<Ask, Answer, Key>>();

  constructor(options: CoalesceOptions<Ask, Answer, Key>) {
    this.#options = options;
  }

  ask(ask: Ask, key: Key): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const group = this.#groups.get(key) ?? { key, waiting: [], running: 0 };
      this.#groups.set(key, group);
      group.waiting.push({ ask, resolve, reject });
      // A microtask later, so that a loop over asks makes one batch.
      if (group.waiting.length === 1) queueMicrotask(() => this.#startBatches(group));
    });
  }

  #startBatches(group: Group<Ask, Answer, Key>): void {
    while (group.running < this.#options.concurrency && group.waiting.length > 0) {
      group.running += 1;
      void this.#runBatch(group, this.#nextBatch(group));
    }
    if (group.running === 0) this.#groups.delete(group.key);
  }

  #nextBatch(group: Group<Ask, Answer, Key>): Waiting<Ask, Answer>[] {
    const { sizeOf = () => 1, maxSize = Number.POSITIVE_INFINITY } = this.#options;
    let size = 0;
    const full = group.waiting.findIndex(({ ask }) => {
      const had = size;
      size += sizeOf(ask);
      return had > 0 && size > maxSize;
    });
    return group.waiting.splice(0, full < 0 ? group.waiting.length : full);
  }

  async #runBatch(group: Group<Ask, Answer, Key>, batch: readonly Waiting<Ask, Answer>[]): Promise<void> {
    try {
      await this.#run(batch, group.key, false);
    } catch (error) {
      const isShared = this.#options.sharesErrors || batch.length === 1 || error instanceof StoreUnavailable;
      if (isShared) for (const { reject } of batch) reject(error);
      else await Promise.all(batch.map((one) => this.#run([one], group.key, true).catch(one.reject)));
    }
    group.running -= 1;
    this.#startBatches(group);
  }

  async #run(batch: readonly Waiting<Ask, Answer>[], key: Key, again: boolean): Promise<void> {
    const answers = await this.#options.run(
      batch.map(({ ask }) => ask),
      key,
      again,
    );
    for (const [i, { resolve, reject }] of batch.entries()) {
      const answer = answers[i];
      if (answer === undefined) reject(new Error(`a batch of ${batch.length} asks got ${answers.length} answers`));
      else resolve(answer);
    }
  }
}
