import { isDeepStrictEqual } from 'node:util';
import type { DepositReading } from '../../../machines/payment/events.ts';
import { chunksOf } from '../../chains/chain-reader.ts';
import {
  type Arrival,
  arrivalName,
  type Chain,
  type DepositRead,
  type DepositState,
  type KnownArrival,
} from '../../chains/port.ts';
import { confirmedOf, isByBalance, leftOf } from '../../model/deposit.ts';
import { Coalescer } from '../../store/coalesce.ts';
import type { DepositArrival, DepositDoc } from '../../store/collections.ts';
import { derivedId } from '../../store/ids.ts';
import type { BillingDeps } from '../deps.ts';
import { withOthers } from './others.ts';
import { changeBook, settleDeposits } from './settle.ts';
import { reserveForDeposits } from './units.ts';

export type DepositWatcherDeps = Pick<BillingDeps, 'store' | 'ledger' | 'catalog' | 'chains' | 'clock' | 'log'> & {
  readonly engine: Pick<BillingDeps['engine'], 'dispatchMany'>;
};

/** How long a deposit address is watched (docs/rules.md, "Payments"). */
const WATCHED_MS = 30 * 86_400_000;

/** The pause before a deposit without enough confirmations is checked again. */
const SHALLOW_MS = 2_000;

/** The most deposits stored for a payment. Whoever sends more is not paying, so the address is read no more. */
export const ARRIVALS_MAX = 500;

/** The most payments per check. If it fails, they wait together for the next one. */
const TOGETHER = 20;

/** The result of a check for a payment; null: its chain does not answer. */
type Seen = { readonly reading: DepositReading; readonly isCut: boolean } | null;

/** Reads deposit addresses, stores new deposits, and notifies the payments. */
export class DepositWatcher {
  readonly #deps: DepositWatcherDeps;
  readonly #checks = new Coalescer<string, true>({
    maxSize: TOGETHER,
    concurrency: Number.POSITIVE_INFINITY,
    sharesErrors: true,
    run: async (ids) => {
      await this.#check(ids);
      return ids.map(() => true);
    },
  });
  /** By payment: one check at a time. */
  readonly #checksOf = new Coalescer<string, true, string>({
    concurrency: 1,
    sharesErrors: true,
    run: async (asks, id) => {
      await this.#checks.ask(id);
      return asks.map(() => true);
    },
  });

  constructor(deps: DepositWatcherDeps) {
    this.#deps = deps;
  }

  /**
   * Checks the deposits of these payments: notifies waiting payments, and settles the deposits of ended ones. If a
   * chain does not answer, its check is repeated on the watch's schedule. A payment has one check at a time in this
   * process; calls during one share the next.
   */
  async check(paymentIds: readonly string[]): Promise<void> {
    await Promise.all(paymentIds.map((id) => this.#checksOf.ask(id, id)));
  }

  /** The stored deposits of each payment; null: its chain does not answer, or not everything there has been read. */
  async survey(paymentIds: readonly string[]): Promise<Map<string, DepositReading | null>> {
    const seen = await this.#survey(paymentIds);
    return new Map([...seen].map(([id, found]) => [id, found === null || found.isCut ? null : found.reading]));
  }

  async #check(paymentIds: readonly string[]): Promise<void> {
    const seen = await this.#survey(paymentIds);
    const found = new Map([...seen].flatMap(([id, each]) => (each === null ? [] : [[id, each.reading] as const])));
    const soldOut = await reserveForDeposits(this.#deps.store, found);
    const results = await this.#deps.engine.dispatchMany(
      [...found].map(([id, reading]) => ({
        kind: 'payment' as const,
        id,
        event: { type: 'deposit.seen', found: reading, ...(soldOut.has(id) ? { isSoldOut: true } : {}) } as const,
        by: 'chain',
      })),
    );
    const payments = results.flatMap((result) => (result.kind === 'taken' ? [result.doc] : []));
    await Promise.all(payments.map((payment) => settleDeposits(this.#deps, payment)));
    await this.#tend(seen);
  }

  async #survey(paymentIds: readonly string[]): Promise<Map<string, Seen>> {
    const docs = await this.#deps.store.records.get('deposits', [...new Set(paymentIds)]);
    const overrun = docs
      .filter(isOverrun)
      .map((doc) => [doc._id, { reading: readingOf(doc, 0n), isCut: false }] as const);
    const read = docs.filter((doc) => !isOverrun(doc));
    const chainIds = [...new Set(read.map(({ chainId }) => chainId))];
    const parts = chainIds.flatMap((id) =>
      chunksOf(
        read.filter(({ chainId }) => chainId === id),
        TOGETHER,
      ).map((part) => this.#surveyOn(id, part)),
    );
    const seen = await Promise.all(parts);
    return new Map([...overrun, ...seen.flat()]);
  }

  async #surveyOn(chainId: number, docs: readonly DepositDoc[]): Promise<(readonly [string, Seen])[]> {
    const states = await this.#read(this.#deps.chains.get(chainId), docs);
    return Promise.all(
      docs.map(async (doc, index) => {
        const state = states?.[index];
        return [doc._id, state ? await this.#takeDown(doc, state) : null] as const;
      }),
    );
  }

  async #read(chain: Chain | undefined, docs: readonly DepositDoc[]): Promise<DepositState[] | null> {
    if (!chain?.enabled) return null;
    try {
      return await chain.readDeposits(docs.map(readOf));
    } catch (error) {
      this.#deps.log.warn(
        { err: error, chainId: chain.chainId },
        'a chain does not answer; its deposits are read again at their next check',
      );
      return null;
    }
  }

  async #takeDown(doc: DepositDoc, state: DepositState): Promise<Seen> {
    const { arrivals, shallow, isCut, since } = state;
    const { store, clock, log } = this.#deps;
    const stored = await changeBook({ records: store.records, clock }, doc._id, (now) => {
      const fresh = arrivals.filter((arrival) => !now.arrivals.some((known) => isSame(known, arrival)));
      const free = Math.max(0, ARRIVALS_MAX - now.arrivals.length);
      const taken = fresh.slice(0, free).map((arrival) => arrivalOf(now, arrival));
      const isAsRead = now.rev === doc.rev && taken.length === fresh.length;
      const next = isAsRead ? since : now.since;
      // A process that changed the deposits meanwhile has read the other tokens too; any other change leaves this read
      // current.
      const isCurrent = isDeepStrictEqual(now.arrivals, doc.arrivals) && taken.length === fresh.length;
      const known = [...now.arrivals, ...taken];
      const all = (isCurrent ? withOthers(now, known, state) : known).sort(inOrder);
      return isDeepStrictEqual(all, now.arrivals) && next === now.since ? null : { arrivals: all, since: next };
    });
    const now = stored ?? doc;
    if (isOverrun(now)) {
      log.warn(
        { actor: now._id, address: now.address, most: ARRIVALS_MAX },
        'a deposit address has too many deposits; it is read no more',
      );
    }
    return { reading: readingOf(now, shallow + unreadOf(now)), isCut: isCut && !isOverrun(now) };
  }

  /** Checks deposits again soon that lack confirmations or are not fully read, and removes expired watches. */
  async #tend(seen: ReadonlyMap<string, Seen>): Promise<void> {
    const { records } = this.#deps.store;
    const now = this.#deps.clock();
    const soon = [...seen].filter(([, found]) => found !== null && isSoonMore(found));
    const lookAt = new Date(now.getTime() + SHALLOW_MS);
    await records.changeMany(
      'watches',
      soon.map(([id]) => ({ id, where: {}, change: { set: { lookAt } } })),
    );
    const watches = await records.get('watches', [...seen.keys()]);
    const over = watches.filter(({ createdAt }) => now.getTime() - createdAt.getTime() > WATCHED_MS);
    if (over.length > 0)
      await records.remove(
        'watches',
        over.map(({ _id }) => _id),
      );
  }
}

function isSoonMore({ reading, isCut }: NonNullable<Seen>): boolean {
  return isCut || reading.arrived !== reading.confirmed;
}

function inOrder(a: DepositArrival, b: DepositArrival): number {
  return a.block.number - b.block.number || a.index - b.index;
}

/** Base units of the payment's own token that cannot be read yet. Like unconfirmed deposits, they may still count. */
function unreadOf({ arrivals, token }: DepositDoc): bigint {
  const mine = arrivals.filter((each) => each.token === token && each.held === 'unread');
  return mine.reduce((sum, each) => sum + leftOf(each), 0n);
}

function isOverrun({ arrivals }: DepositDoc): boolean {
  return arrivals.length >= ARRIVALS_MAX;
}

/** @param shallow deposits without enough confirmations, in base units */
function readingOf(doc: DepositDoc, shallow: bigint): DepositReading {
  const confirmed = confirmedOf(doc);
  const from = doc.arrivals.find((each) => each.token === doc.token && !isByBalance(each))?.from ?? null;
  return { arrived: String(confirmed + shallow), confirmed: String(confirmed), from };
}

function readOf({ account, address, token, since, createdAt, arrivals, others = [] }: DepositDoc): DepositRead {
  const known = new Map<string, bigint>();
  const found = arrivals.flatMap(knownArrival);
  for (const arrival of arrivals.filter((each) => !isByBalance(each)))
    known.set(arrival.token, (known.get(arrival.token) ?? 0n) + leftOf(arrival));
  const isMoving = arrivals.some(({ fate }) => fate === 'open' || fate === 'refunding');
  const limit = ARRIVALS_MAX - arrivals.length;
  return { account, address, token, known, isMoving, since, createdAt, found, limit, others };
}

function knownArrival({ txHash, index, token }: DepositArrival): KnownArrival[] {
  return txHash === null ? [] : [{ txHash, index, token }];
}

function isSame(known: DepositArrival, { txHash, index }: Arrival): boolean {
  return known.txHash === txHash && known.index === index;
}

function arrivalOf({ chainId, createdAt }: DepositDoc, arrival: Arrival): DepositArrival {
  const { txHash, index, token, from, block, amount } = arrival;
  return {
    id: derivedId('dep', createdAt, `${chainId}:${arrivalName(arrival)}`),
    txHash,
    index,
    token,
    from,
    amount: amount.toString(),
    block,
    charged: '0',
    refunded: '0',
    fate: 'open',
    held: null,
    refund: null,
  };
}
