import type { WatchDoc } from '../../store/collections.ts';
import { isDue } from '../../store/is-due.ts';
import { type ChainContext, later } from '../context.ts';
import { PAGE, pagesSince } from './pages-since.ts';

type Ctx = Pick<ChainContext, 'chainId' | 'records' | 'clock' | 'timing'>;

/** How far the clocks of the processes that make watches may differ. */
const CLOCKS_MS = 30_000;

interface Pass {
  readonly pages: AsyncGenerator<readonly WatchDoc[], undefined>;
  /** The watches that were known at its start, and that it has not found so far. */
  readonly unseen: Set<string>;
}

/**
 * The watches for which the logs are read. Each check reads new watches. One page of all of them is read again after
 * each interval: so a deleted watch is forgotten, and a changed one is known, after a pass over all pages. Until then
 * they only cause checks of the chain that find nothing. So the cost does not grow with the number of watches.
 */
export class WatchList {
  readonly #ctx: Ctx;
  readonly #watches = new Map<string, WatchDoc>();
  readonly #wallets = new Map<string, number>();
  readonly #deposits = new Map<string, number>();
  #newest = new Date(0);
  /** null: the first check reads all watches. */
  #nextPageAt: Date | null = null;
  #pass: Pass | null = null;

  constructor(ctx: Ctx) {
    this.#ctx = ctx;
  }

  /** Brings the list up to date. */
  async refresh(): Promise<void> {
    const { clock, timing } = this.#ctx;
    // A watch of a clock that was ahead must not hide those that are made after it.
    const newest = Math.min(this.#newest.getTime(), clock().getTime());
    for await (const page of this.#pagesSince(new Date(newest - CLOCKS_MS))) this.#take(page);
    if (this.#nextPageAt !== null) {
      if (!isDue(this.#nextPageAt, clock(), timing.watchesMs)) return;
      await this.#passOn();
    }
    this.#nextPageAt = later(this.#ctx, timing.watchesMs);
  }

  all(): WatchDoc[] {
    return [...this.#watches.values()];
  }

  /** Replaces a watch that has changed in the store. */
  replace(watch: WatchDoc): void {
    this.#forget(watch._id);
    this.#watches.set(watch._id, watch);
    const counts = this.#countsOf(watch);
    counts.set(watch.wallet, (counts.get(watch.wallet) ?? 0) + 1);
  }

  /** The wallets of payers for whom somebody waits, each with the number of its watches. */
  get wallets(): ReadonlyMap<string, number> {
    return this.#wallets;
  }

  /** The deposit addresses for which somebody waits, each with the number of its watches. */
  get deposits(): ReadonlyMap<string, number> {
    return this.#deposits;
  }

  #pagesSince(since: Date): Pass['pages'] {
    return pagesSince(this.#ctx.records, 'watches', { chainId: this.#ctx.chainId }, since);
  }

  #take(page: readonly WatchDoc[]): void {
    for (const watch of page) {
      this.replace(watch);
      if (watch.createdAt > this.#newest) this.#newest = watch.createdAt;
    }
  }

  /** Reads one more page of all watches. After the last page, the watches that are in none are forgotten. */
  async #passOn(): Promise<void> {
    const pass = this.#pass ?? { pages: this.#pagesSince(new Date(0)), unseen: new Set(this.#watches.keys()) };
    // After an error a new pass begins: this one must forget nothing.
    this.#pass = null;
    const page = (await pass.pages.next()).value ?? [];
    this.#take(page);
    for (const { _id } of page) pass.unseen.delete(_id);
    if (page.length === PAGE) this.#pass = pass;
    else for (const id of pass.unseen) this.#forget(id);
  }

  #forget(id: string): void {
    const watch = this.#watches.get(id);
    if (watch === undefined) return;
    this.#watches.delete(id);
    const counts = this.#countsOf(watch);
    const left = (counts.get(watch.wallet) ?? 0) - 1;
    if (left > 0) counts.set(watch.wallet, left);
    else counts.delete(watch.wallet);
  }

  #countsOf({ operator }: WatchDoc): Map<string, number> {
    return operator === null ? this.#deposits : this.#wallets;
  }
}
