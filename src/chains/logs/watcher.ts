import { type ChainContext, giveBack } from '../context.ts';
import { Loop, pauseAfterFailure } from '../loop.ts';
import { WatchList } from './watch-list.ts';

/** Reads one chain again and again for events that somebody waits for. Only the lease's holder reads. */
export abstract class Watcher<Ctx extends ChainContext> extends Loop {
  protected readonly ctx: Ctx;
  protected readonly watches: WatchList;
  readonly #lease: string;
  #isHeld = false;
  #cursor: Cursor | null = null;

  constructor(ctx: Ctx) {
    super();
    this.ctx = ctx;
    this.watches = new WatchList(ctx);
    this.#lease = `${ctx.chainId}:logs`;
  }

  /** Reads the chain once; returns the pause in milliseconds. */
  protected abstract read(): Promise<number>;

  /** Forgets the position of the reading: another process reads this chain now. */
  protected lost(): void {
    this.#cursor = null;
  }

  /** As `Cursor.open`, once for each time that this process reads the chain. */
  protected async cursorFrom(head: number): Promise<Cursor> {
    this.#cursor ??= await Cursor.open(this.ctx, head);
    return this.#cursor;
  }

  override async stop(): Promise<void> {
    await super.stop();
    if (this.#isHeld) await giveBack(this.ctx, this.#lease);
  }

  protected override failed(error: unknown, failures: number): number {
    const pause = pauseAfterFailure(this.ctx, error, failures, 'log watcher failed; it tries again');
    return Math.max(this.ctx.timing.logsMs, pause);
  }

  protected override async run(): Promise<number> {
    const { leases, timing } = this.ctx;
    this.#isHeld = await leases.take(this.#lease);
    if (this.#isHeld) return this.read();
    this.lost();
    return timing.leaseMs / 3;
  }
}

/** How far one chain's logs have been read. The position is stored; after a restart the last part is read again. */
export class Cursor {
  readonly #ctx: ChainContext;
  #block: number;

  private constructor(ctx: ChainContext, block: number) {
    this.#ctx = ctx;
    this.#block = block;
  }

  /** Opens the stored cursor. On a chain that was never read it begins at `head`: nobody can have waited before. */
  static async open(ctx: ChainContext, head: number): Promise<Cursor> {
    const id = String(ctx.chainId);
    const [stored] = await ctx.records.get('chainCursors', [id]);
    if (stored) return new Cursor(ctx, stored.block);
    await ctx.records.insert('chainCursors', [{ _id: id, block: head, updatedAt: ctx.clock() }]);
    return new Cursor(ctx, head);
  }

  /** The last block that has been read. */
  get block(): number {
    return this.#block;
  }

  /** Notes that everything up to `block` has been read. A lower block than before: the chain was shortened. */
  async moveTo(block: number): Promise<void> {
    if (block === this.#block) return;
    const change = { set: { block, updatedAt: this.#ctx.clock() } };
    await this.#ctx.records.change('chainCursors', String(this.#ctx.chainId), {}, change);
    this.#block = block;
  }
}
