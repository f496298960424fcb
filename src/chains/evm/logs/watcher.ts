import { getAddress } from 'ethers';
import { doubled } from '../../../../machines/rules/backoff.ts';
import { messageOf } from '../../../message-of.ts';
import { giveBack } from '../../context.ts';
import { LearnedSize } from '../../learned-size.ts';
import { Cursor } from '../../logs/cursor.ts';
import { WatchList } from '../../logs/watch-list.ts';
import { Loop } from '../../loop.ts';
import type { OtherToken } from '../../port.ts';
import { NodeRefused, NodeUnreachable, resultOf } from '../../rpc.ts';
import { Blocked } from '../../troubles.ts';
import type { EvmContext } from '../context.ts';
import { logsSchema, toQuantity, type WireBlock, type WireLog } from '../wire.ts';
import { filtersFor, isTokenTransfer, type LogFilter, walletOf } from './filters.ts';

/**
 * Reads the chain's logs for allowances granted to operators that somebody waits for, and for tokens that arrive at
 * wallets that somebody waits for (docs/rules.md, "Operators, consent, allowances"). One process at a time reads; the cursor
 * moves only when the listener has taken what was found.
 */
export class LogWatcher {
  readonly #ctx: EvmContext;
  readonly #loop: Loop;
  readonly #lease: string;
  readonly #watches: WatchList;
  #cursor: Cursor | null = null;
  #lastHead: string | null = null;
  /** Blocks in one request: nodes differ in how many they allow. */
  readonly #limit: LearnedSize;
  #span: number;
  /** Logs of the blocks that are read again, by block hash and index: told once. */
  #told = new Map<string, number>();

  constructor(ctx: EvmContext) {
    this.#ctx = ctx;
    this.#lease = `${ctx.chainId}:logs`;
    this.#watches = new WatchList(ctx);
    this.#limit = new LearnedSize(ctx.sizes.logBlocks);
    this.#span = this.#limit.now;
    this.#loop = new Loop({ run: () => this.#run(), onError: (error, failures) => this.#failed(error, failures) });
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    if (this.#cursor) await giveBack(this.#ctx, this.#lease);
  }

  async #run(): Promise<number> {
    const { leases, timing, link } = this.#ctx;
    if (!(await leases.take(this.#lease))) {
      this.#cursor = null;
      this.#lastHead = null;
      return timing.leaseMs / 3;
    }
    const { tokens } = await link.ready();
    // First the head, then the watches: an allowance granted after its watch was made is then always beyond a head for
    // which the watch was not known.
    const head = await link.latest();
    if (head.hash === this.#lastHead) return timing.logsMs;
    await this.#watches.refresh();
    this.#cursor ??= await Cursor.open(this.#ctx, head.number);
    await this.#readTo(head, this.#cursor, tokens);
    this.#lastHead = head.hash;
    return timing.logsMs;
  }

  async #readTo(head: WireBlock, cursor: Cursor, tokens: readonly string[]): Promise<void> {
    const { sizes } = this.#ctx;
    const watches = this.#watches;
    const asked = {
      tokens,
      operators: watches.operators(),
      wallets: watches.wallets(),
      deposits: watches.deposits(),
    };
    const filters = filtersFor(asked, sizes.topics);
    this.#span = this.#limit.now;
    let from = Math.max(0, Math.min(cursor.block, head.number) + 1 - sizes.logOverlap);
    while (from <= head.number) {
      const to = filters.length === 0 ? head.number : Math.min(head.number, from + this.#span - 1);
      const logs = await this.#logs(filters, from, to);
      if (logs === null) continue;
      await this.#tell(logs, tokens);
      await cursor.moveTo(to);
      from = to + 1;
    }
    this.#forget(head.number - sizes.logOverlap * 2);
  }

  /** Null: the range was too large for the node, and has been halved. */
  async #logs(filters: readonly LogFilter[], from: number, to: number): Promise<WireLog[] | null> {
    if (filters.length === 0) return [];
    const range = { fromBlock: toQuantity(from), toBlock: toQuantity(to) };
    const answers = await this.#ctx.link.batch(
      filters.map((filter) => ({ method: 'eth_getLogs', params: [{ ...range, ...filter }] })),
    );
    const refused = answers.find((answer) => !answer.ok && answer.error instanceof NodeRefused);
    if (refused && this.#span > 1 && to > from) {
      this.#span = Math.max(1, Math.floor((to - from + 1) / 2));
      return null;
    }
    const logs = answers.flatMap((answer) => logsSchema.parse(resultOf(answer)));
    if (this.#span < this.#limit.now) this.#limit.learn(this.#span);
    return logs;
  }

  async #tell(logs: readonly WireLog[], tokens: readonly string[]): Promise<void> {
    const fresh = logs.filter((log) => !this.#told.has(keyOf(log)));
    const watched = new Set([...this.#watches.wallets(), ...this.#watches.deposits()]);
    const wallets = new Set(fresh.flatMap((log) => walletOf(log) ?? []).filter((wallet) => watched.has(wallet)));
    const others = othersIn(fresh, tokens).filter(({ wallet }) => wallets.has(wallet));
    if (wallets.size > 0) await this.#ctx.listener.walletsChanged(this.#ctx.chainId, [...wallets], others);
    for (const log of fresh) this.#told.set(keyOf(log), log.blockNumber);
  }

  #forget(below: number): void {
    for (const [key, block] of this.#told) if (block < below) this.#told.delete(key);
  }

  #failed(error: unknown, failures: number): number {
    const { timing, log, chainId } = this.#ctx;
    const known = error instanceof NodeUnreachable || error instanceof Blocked;
    if (!known) log.error({ chainId, error: messageOf(error) }, 'log watcher failed; it goes on');
    return Math.max(timing.logsMs, doubled(timing.retryFirstMs, failures - 1, timing.retryMaxMs));
  }
}

/** Who has received what the catalog does not have. */
function othersIn(logs: readonly WireLog[], tokens: readonly string[]): OtherToken[] {
  const known = new Set(tokens.map((token) => token.toLowerCase()));
  return logs.flatMap((log): OtherToken[] => {
    const wallet = isTokenTransfer(log) && !known.has(log.address.toLowerCase()) ? walletOf(log) : null;
    return wallet === null ? [] : [{ wallet, token: getAddress(log.address) }];
  });
}

function keyOf(log: WireLog): string {
  return `${log.blockHash}:${log.logIndex}`;
}
