import type { WatchDoc } from '../../store/collections.ts';
import { isDue } from '../../store/is-due.ts';
import { type ChainContext, later } from '../context.ts';

type Ctx = Pick<ChainContext, 'chainId' | 'records' | 'clock' | 'timing'>;

const PAGE = 1_000;

/** How far the clocks of the processes that make watches may differ. */
const CLOCKS_MS = 30_000;

/**
 * The watches for which the logs are read. Each check reads new watches. Deleted and changed watches show at the next
 * complete reading; until then they only cause checks of the chain that find nothing.
 */
export class WatchList {
  readonly #ctx: Ctx;
  #watches = new Map<string, WatchDoc>();
  #newest = new Date(0);
  #wholeAt = new Date(0);

  constructor(ctx: Ctx) {
    this.#ctx = ctx;
  }

  /** Brings the list up to date. */
  async refresh(): Promise<void> {
    const { clock, timing } = this.#ctx;
    if (!isDue(this.#wholeAt, clock(), timing.watchesMs)) {
      // A watch of a clock that was ahead must not hide those that are made after it.
      const newest = Math.min(this.#newest.getTime(), clock().getTime());
      await this.#read(new Date(newest - CLOCKS_MS));
      return;
    }
    this.#watches = new Map();
    await this.#read(new Date(0));
    this.#wholeAt = later(this.#ctx, timing.watchesMs);
  }

  all(): WatchDoc[] {
    return [...this.#watches.values()];
  }

  /** Replaces a watch that has changed in the store. */
  replace(watch: WatchDoc): void {
    this.#watches.set(watch._id, watch);
  }

  /** The wallets of payers for whom somebody waits, each once. */
  wallets(): string[] {
    return [...new Set(this.all().flatMap(({ operator, wallet }) => (operator === null ? [] : [wallet])))];
  }

  /** The deposit addresses for which somebody waits, each once. */
  deposits(): string[] {
    return [...new Set(this.all().flatMap(({ operator, wallet }) => (operator === null ? [wallet] : [])))];
  }

  /**
   * A page begins at the moment at which the one before it ended, and does not skip a number of watches. Watches that
   * are deleted or changed meanwhile would shift the others, and some would never be read. Only watches of the same
   * moment are counted.
   */
  async #read(since: Date): Promise<void> {
    const { records, chainId } = this.#ctx;
    for (let from = since, start = 0; ; ) {
      const page = await records.find('watches', {
        where: { chainId, createdAt: { gte: from } },
        sort: [['createdAt', 1]],
        start,
        limit: PAGE,
      });
      for (const watch of page) {
        this.#watches.set(watch._id, watch);
        if (watch.createdAt > this.#newest) this.#newest = watch.createdAt;
      }
      const last = page.at(-1)?.createdAt ?? from;
      if (page.length < PAGE) return;
      start = last.getTime() === from.getTime() ? start + PAGE : 0;
      from = last;
    }
  }
}
