import type { ChainContext } from '../context.ts';

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

  /**
   * Notes that everything up to `block` has been read. A lower block than before means that the chain was shortened.
   */
  async moveTo(block: number): Promise<void> {
    if (block === this.#block) return;
    const change = { set: { block, updatedAt: this.#ctx.clock() } };
    await this.#ctx.records.change('chainCursors', String(this.#ctx.chainId), {}, change);
    this.#block = block;
  }
}
