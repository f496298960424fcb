import { crc32 } from 'node:zlib';
import type { ChargeDoc } from '../../store/collections.ts';
import type { ChainContext } from '../context.ts';

type WindowContext = Pick<ChainContext, 'chainId' | 'records' | 'clock'>;

/** How many waiting charges are read for a queue, and for how long: one reading serves several transactions. */
const SIZE = 300;
const FRESH_MS = 5_000;

export interface QueueWindow {
  /**
   * Up to `limit` charges of these tokens: the signing queue's own and, if they are fewer, those that waited too long
   * for another queue. Merchants take turns, the longest waiting charge first. One reading gives no charge twice.
   */
  take(tokens: readonly string[], limit: number): Promise<ChargeDoc[]>;
  /** Takes back charges that were given and not used. They come first next time. */
  putBack(charges: readonly ChargeDoc[]): void;
  /** Notes that the signing queue failed: it has no charges in hand any more, and its next `take` reads again. */
  failed(): void;
}

/**
 * The waiting charges of one chain, read once for several transactions of all signing queues of this process. A
 * merchant with hundreds of due charges delays no other. Taking a charge fails if another process took it meanwhile.
 */
export class WaitingWindow {
  readonly #ctx: WindowContext;
  #waiting: readonly ChargeDoc[] = [];
  #readAt = Number.NEGATIVE_INFINITY;
  /** By queue, the ids of the charges that it got last. Until the queue asks again, it may not have taken them yet. */
  readonly #given = new Map<number, ReadonlySet<string>>();
  /** Queues that have failed since they last asked. */
  readonly #failed = new Set<number>();

  constructor(ctx: WindowContext) {
    this.#ctx = ctx;
  }

  /** The window for this signing queue. A queue asks again only after it is done with its last charges. */
  forQueue(queue: QueueNumber): QueueWindow {
    return {
      take: (tokens, limit) => this.#take(queue, tokens, limit),
      putBack: (charges) => this.#putBack(queue, charges),
      failed: () => {
        this.#given.delete(queue.index);
        this.#failed.add(queue.index);
      },
    };
  }

  #putBack({ index }: QueueNumber, charges: readonly ChargeDoc[]): void {
    const back = new Set(charges.map(({ _id }) => _id));
    const given = [...(this.#given.get(index) ?? [])];
    this.#given.set(index, new Set(given.filter((id) => !back.has(id))));
    this.#waiting = [...charges, ...this.#waiting];
  }

  async #take(queue: QueueNumber, tokens: readonly string[], limit: number): Promise<ChargeDoc[]> {
    this.#given.delete(queue.index);
    const hasFailed = this.#failed.delete(queue.index);
    const isStale = hasFailed || performance.now() - this.#readAt > FRESH_MS;
    let divided = this.#divide(queue);
    if (isStale || divided.own.length < limit) {
      await this.#read(queue, tokens, limit);
      divided = this.#divide(queue);
    }
    const own = inTurns(divided.own, limit);
    const taken = [...own, ...inTurns(divided.left, limit - own.length)];
    const ids = new Set(taken.map(({ _id }) => _id));
    this.#given.set(queue.index, ids);
    this.#waiting = this.#waiting.filter(({ _id }) => !ids.has(_id));
    return taken;
  }

  async #read({ count }: QueueNumber, tokens: readonly string[], limit: number): Promise<void> {
    const readAt = performance.now();
    const waiting = await readWaiting(this.#ctx, tokens, Math.max(SIZE, limit) * count);
    // Two queues may have read at the same time, and one of them may have got some of these charges since.
    this.#waiting = waiting.filter(({ _id }) => [...this.#given.values()].every((ids) => !ids.has(_id)));
    this.#readAt = readAt;
  }

  #divide(queue: QueueNumber): ReturnType<typeof divide> {
    return divide(queue, this.#waiting, this.#ctx.clock());
  }
}

/** Up to `limit` charges: merchants in turns, in the order of their longest waiting charges. */
export function inTurns(waiting: readonly ChargeDoc[], limit: number): ChargeDoc[] {
  const queues = new Map<string, ChargeDoc[]>();
  for (const charge of waiting) {
    const line = queues.get(charge.merchantId);
    if (line) line.push(charge);
    else queues.set(charge.merchantId, [charge]);
  }
  const taken: ChargeDoc[] = [];
  for (let turn = 0; taken.length < Math.min(limit, waiting.length); turn += 1) {
    for (const queue of queues.values()) {
      const charge = queue[turn];
      if (charge !== undefined && taken.length < limit) taken.push(charge);
    }
  }
  return taken;
}

/** The number of a signing queue among those of its chain. Each queue has its own part of the charges. */
export interface QueueNumber {
  readonly index: number;
  readonly count: number;
}

/** How long charges wait for their own signing queue before another queue may take them. */
const GRACE_MS = 2_000;

/** Up to `limit` waiting charges of these tokens, for all queues, the longest waiting first. */
export function readWaiting(
  ctx: Pick<ChainContext, 'chainId' | 'clock' | 'records'>,
  tokens: readonly string[],
  limit: number,
): Promise<ChargeDoc[]> {
  return ctx.records.find('charges', {
    where: { chainId: ctx.chainId, state: 'waiting', notBefore: { lte: ctx.clock() }, token: { in: tokens } },
    sort: [['notBefore', 1]],
    limit,
  });
}

/** The waiting charges of this signing queue, and those of other queues that have waited for too long. */
export function divide(
  { index, count }: QueueNumber,
  waiting: readonly ChargeDoc[],
  now: Date,
): { readonly own: ChargeDoc[]; readonly left: ChargeDoc[] } {
  const own: ChargeDoc[] = [];
  const left: ChargeDoc[] = [];
  for (const charge of waiting) {
    if (queueOf(charge, count) === index) own.push(charge);
    else if (now.getTime() - charge.notBefore.getTime() > GRACE_MS) left.push(charge);
  }
  return { own, left };
}

/**
 * The signing queue of a charge. Cycles are spread by key. One-off charges of one payer share a queue, one after
 * another, because the same reserves apply to all of them. The spelling of an address does not matter.
 */
function queueOf({ key, from, isCycle }: ChargeDoc, count: number): number {
  return queueFor(isCycle ? key : from, count);
}

/** The due items of one signing queue: those of its own names, and others that their queue has not taken in time. */
export function dueIn<T extends { readonly notBefore: Date }>(
  { index, count }: QueueNumber,
  due: readonly T[],
  nameOf: (item: T) => string,
  now: Date,
): T[] {
  const isLeft = ({ notBefore }: T): boolean => now.getTime() - notBefore.getTime() > GRACE_MS;
  return due.filter((item) => queueFor(nameOf(item), count) === index || isLeft(item));
}

function queueFor(name: string, count: number): number {
  return count === 1 ? 0 : crc32(name) % count;
}
