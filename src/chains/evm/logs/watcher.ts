import type { ChangedAllowance } from '../../../store/collections.ts';
import type { Mode } from '../../../store/documents.ts';
import { isDue } from '../../../store/is-due.ts';
import { later } from '../../context.ts';
import { REMEMBERED_MS } from '../../learned-size.ts';
import { type Cursor, Watcher } from '../../logs/watcher.ts';
import type { OtherToken } from '../../port.ts';
import { NodeRefused, type RpcAnswer } from '../../rpc.ts';
import { getAddress } from '../address.ts';
import type { EvmContext } from '../context.ts';
import type { WireBlock, WireLog } from '../wire.ts';
import {
  approvalOf,
  askLogs,
  type BlockRange,
  filtersFor,
  isTokenTransfer,
  type LogFilter,
  type LogPart,
  logsCall,
  logsIn,
  routerEventOf,
  walletOf,
} from './filters.ts';
import { noteRouterLogs, Operators } from './router-events.ts';

/** Blocks whose logs have been read, and the newest block at that time. */
interface ReadRange extends BlockRange {
  readonly head: number;
}

/**
 * Reads the chain's logs for approvals to the operators of all merchants, for what routers say about agreements and
 * payees, and for tokens that arrive at watched wallets (docs/rules.md, "Operators, consent, allowances"). One process
 * at a time reads. The cursor moves only after the listener has accepted the findings. A log that a reorg removes
 * counts as one more change of the same allowance.
 */
export class LogWatcher extends Watcher<EvmContext> {
  readonly #operators: Operators;
  #lastHead: string | null = null;
  /** Until then only transfers of the catalog's tokens are read: the node refuses logs of every contract. */
  #catalogOnlyUntil = new Date(0);
  /** Logs of the blocks that are read again, by block hash and index, so that each is reported once. */
  #reported = new Map<string, WireLog>();

  /** @param mode the mode of the charges on this chain */
  constructor(ctx: EvmContext, mode: Mode) {
    super(ctx);
    this.#operators = new Operators(ctx, mode);
  }

  protected override lost(): void {
    super.lost();
    this.#lastHead = null;
  }

  protected override async read(): Promise<number> {
    const { timing, link } = this.ctx;
    const { tokens } = await link.ready();
    // The head before the watches: an allowance granted after a watch that was not known yet is beyond the head.
    const head = await link.latest();
    if (head.hash === this.#lastHead) return timing.logsMs;
    await Promise.all([this.watches.refresh(), this.#operators.refresh()]);
    await this.#readTo(head, await this.cursorFrom(head.number), tokens);
    this.#lastHead = head.hash;
    return timing.logsMs;
  }

  async #readTo(head: WireBlock, cursor: Cursor, tokens: readonly string[]): Promise<void> {
    const { sizes } = this.ctx;
    let from = Math.max(0, Math.min(cursor.block, head.number) + 1 - sizes.logOverlap);
    while (from <= head.number) {
      const part = await this.#logs(this.#filters(tokens), { from, to: head.number }, tokens);
      if (part === null) continue;
      await this.#report(part.logs, tokens, { from, to: part.to, head: head.number });
      await cursor.moveTo(part.to);
      from = part.to + 1;
    }
    this.#forget(head.number - sizes.logOverlap * 2);
  }

  #filters(tokens: readonly string[]): LogFilter[] {
    const { clock, sizes } = this.ctx;
    const { wallets, deposits } = this.watches;
    const asked = !isDue(this.#catalogOnlyUntil, clock(), REMEMBERED_MS)
      ? { wallets: [wallets, deposits] }
      : { wallets: [wallets], deposits };
    const operators = this.#operators.all;
    return filtersFor({ tokens, operators, routers: this.ctx.routers.all, ...asked }, sizes.topics);
  }

  /** The first part of a range. Null: the node refuses logs of every contract; next, the catalog's tokens. */
  async #logs(filters: readonly LogFilter[], range: BlockRange, tokens: readonly string[]): Promise<LogPart | null> {
    if (filters.length === 0) return { logs: [], to: range.to };
    const { answers, to } = await askLogs(this.ctx, filters, range);
    const refusals = refusalsOf(filters, answers);
    const named = await this.#wantsContracts(refusals, { from: range.from, to }, tokens);
    if (named !== null) {
      this.#askOfCatalogOnly(named);
      return null;
    }
    const logs = this.#neededOf(logsIn(this.ctx, answers), tokens);
    if (filters.some(isOfEveryContract)) this.ctx.troubles.set(EVERY_CONTRACT, null);
    return { logs, to };
  }

  /** The logs that somebody watches, each once: filters overlap, and may name no address. */
  #neededOf(logs: readonly WireLog[], tokens: readonly string[]): WireLog[] {
    const known = new Set(tokens.map((token) => token.toLowerCase()));
    const needed = logs.filter((log) => {
      const [approval, wallet] = [approvalOf(log), walletOf(log)];
      if (approval !== null) return this.#operators.ownerOf(approval.operator) !== undefined;
      if (wallet === null || this.watches.deposits.has(wallet)) return true;
      return this.watches.wallets.has(wallet) && known.has(log.address.toLowerCase());
    });
    return [...new Map(needed.map((log) => [keyOf(log), log])).values()];
  }

  /** The refusal to give logs of every contract; null: none. Unknown words are tried with the tokens. */
  async #wantsContracts(
    refusals: readonly Refusal[],
    range: BlockRange,
    tokens: readonly string[],
  ): Promise<NodeRefused | null> {
    const refusal = refusals.find(({ filter }) => isOfEveryContract(filter));
    if (refusal === undefined) return null;
    const { filter, error } = refusal;
    if (error.verdict.about === 'request' && error.verdict.tooMuch === 'contracts') return error;
    const refusesOthers = refusals.some(({ filter }) => !isOfEveryContract(filter));
    if (refusesOthers || range.to > range.from) return null;
    const [answer] = await this.ctx.link.batch([logsCall({ ...filter, address: tokens }, range)]);
    return answer?.ok ? error : null;
  }

  /** For an hour: the plan of a node may change. */
  #askOfCatalogOnly({ message }: NodeRefused): void {
    const { chainId, troubles, log } = this.ctx;
    this.#catalogOnlyUntil = later(this.ctx, REMEMBERED_MS);
    const sentence = `the node refuses logs of every contract, so tokens outside of the catalog are not found at deposit addresses: ${message}`;
    if (troubles.set(EVERY_CONTRACT, sentence)) log.warn({ chainId }, sentence);
  }

  async #report(logs: readonly WireLog[], tokens: readonly string[], range: ReadRange): Promise<void> {
    const { listener, chainId } = this.ctx;
    const fresh = logs.filter((log) => !this.#reported.has(keyOf(log)));
    const removed = this.#removedLogs(logs, range);
    const revocations = await this.#revocationsIn(fresh);
    const allowances = [
      ...(await noteRouterLogs(this.ctx, [
        ...removed.map((log) => ({ log, isThere: false, block: range.head })),
        ...fresh.map((log) => ({ log, isThere: true, block: log.blockNumber })),
      ])),
      ...fresh.flatMap((log) => this.#changeBy(log, tokens, log.blockNumber, revocations.has(log))),
      ...removed.flatMap((log) => this.#changeBy(log, tokens, range.head)),
    ];
    if (allowances.length > 0) await listener.allowancesChanged(allowances);
    const named = [...fresh, ...removed].flatMap((log) => walletOf(log) ?? []);
    const wallets = new Set(named.filter((wallet) => this.#isWatched(wallet)));
    const others = othersIn(fresh, tokens).filter(({ wallet }) => wallets.has(wallet));
    if (wallets.size > 0) await listener.walletsChanged(chainId, [...wallets], others);
    for (const log of removed) this.#reported.delete(keyOf(log));
    for (const log of fresh) this.#reported.set(keyOf(log), log);
  }

  /** Reported logs that a reorg has removed: the chain has them no longer in these blocks, or lacks such a block. */
  #removedLogs(logs: readonly WireLog[], { from, to, head }: ReadRange): WireLog[] {
    const there = new Set(logs.map(keyOf));
    const end = to === head ? Number.POSITIVE_INFINITY : to;
    return [...this.#reported.values()].filter(
      (log) => log.blockNumber >= from && log.blockNumber <= end && !there.has(keyOf(log)) && isFollowed(log),
    );
  }

  /** The approvals of 0 by payers. Some tokens log one, too, for a charge that uses the allowance up. */
  async #revocationsIn(logs: readonly WireLog[]): Promise<ReadonlySet<WireLog>> {
    const zeros = logs.filter((log) => approvalOf(log) !== null && /^0x0{64}$/.test(log.data));
    if (zeros.length === 0) return new Set();
    const hashes = zeros.map(({ transactionHash }) => transactionHash);
    const where = { 'versions.hash': { in: hashes } };
    const charging = await this.ctx.records.find('transactions', { where, limit: hashes.length });
    const own = new Set(charging.flatMap(({ versions }) => versions.map(({ hash }) => hash)));
    return new Set(zeros.filter(({ transactionHash }) => !own.has(transactionHash)));
  }

  /** The change of an allowance by a log, or by its removal. A node that has `block` knows of the change. */
  #changeBy(log: WireLog, tokens: readonly string[], block: number, isRevocation = false): ChangedAllowance[] {
    const { chainId } = this.ctx;
    const approval = approvalOf(log);
    const owner = approval ? this.#operators.ownerOf(approval.operator) : undefined;
    const token = tokens.find((each) => each.toLowerCase() === log.address.toLowerCase());
    if (!approval || !owner || token === undefined) return [];
    const revoked = isRevocation ? { revoked: { mandateId: null } } : {};
    return [{ ...owner, chainId, token, wallet: approval.wallet, block, ...revoked }];
  }

  #isWatched(wallet: string): boolean {
    return this.watches.wallets.has(wallet) || this.watches.deposits.has(wallet);
  }

  #forget(below: number): void {
    for (const [key, { blockNumber }] of this.#reported) if (blockNumber < below) this.#reported.delete(key);
  }
}

/** Names the trouble that the node gives logs of named contracts only. */
const EVERY_CONTRACT = 'logs:every-contract';

interface Refusal {
  readonly filter: LogFilter;
  readonly error: NodeRefused;
}

function refusalsOf(filters: readonly LogFilter[], answers: readonly RpcAnswer[]): Refusal[] {
  return filters.flatMap((filter, index) => {
    const answer = answers[index];
    return answer?.ok === false && answer.error instanceof NodeRefused ? [{ filter, error: answer.error }] : [];
  });
}

function isOfEveryContract({ address }: LogFilter): boolean {
  return address === undefined;
}

/** The deposit addresses that received tokens outside of the catalog, with those tokens. */
function othersIn(logs: readonly WireLog[], tokens: readonly string[]): OtherToken[] {
  const known = new Set(tokens.map((token) => token.toLowerCase()));
  return logs.flatMap((log): OtherToken[] => {
    const wallet = isTokenTransfer(log) && !known.has(log.address.toLowerCase()) ? walletOf(log) : null;
    return wallet === null ? [] : [{ wallet, token: getAddress(log.address) }];
  });
}

function isFollowed(log: WireLog): boolean {
  return approvalOf(log) !== null || routerEventOf(log) !== null;
}

function keyOf(log: WireLog): string {
  return `${log.blockHash}:${log.logIndex}`;
}
