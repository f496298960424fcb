import { messageOf } from '../../../errors/message-of.ts';
import type { Collections } from '../../../store/collections.ts';
import { isDue } from '../../../store/is-due.ts';
import type { Where } from '../../../store/port.ts';
import { later } from '../../context.ts';
import { NodeUnreachable } from '../../rpc.ts';
import { dueIn, type QueueNumber } from '../../sender/window.ts';
import type { EvmContext } from '../context.ts';
import { RouterRefuses } from './simulate.ts';

/** The most calls of one kind per run, so that charges behind them do not wait for long. */
const AT_ONCE = 8;

type CallCollection = 'permits' | 'announcements';

/** The documents of one kind for which a sender calls a router: permits, and payees to announce. */
export interface CallKind<C extends CallCollection> {
  readonly collection: C;
  /** The states of documents that a sender has to handle. */
  readonly states: readonly Collections[C]['state'][];
  /** The log's name for a document, and the sentence when its call fails. */
  readonly noun: string;
  readonly failed: string;
  /** Documents of one name are for one sender. */
  readonly nameOf: (doc: Collections[C]) => string;
  /** The condition that nobody has changed the document since it was read. */
  readonly asSeen: (doc: Collections[C]) => Where;
  /** Makes the call if the chain still needs it. An error delays this document. `routers`: those that can be called. */
  readonly call: (doc: Collections[C], routers: readonly string[], change: ChangeDoc<C>) => Promise<void>;
  /** True: after this error, the sender can send nothing at present. */
  readonly isFatal?: (error: unknown) => boolean;
}

/** Changes the document, unless another process has. False: it has. */
export type ChangeDoc<C extends CallCollection> = (set: Partial<Collections[C]>) => Promise<boolean>;

/**
 * The calls of one kind that one sender makes, before its charges and in the same order of nonces. They are fewer than
 * charges, so it searches only as often as an idle sender. A document whose call fails waits, and delays no other.
 */
export class CallQueue<C extends CallCollection> {
  readonly #ctx: EvmContext;
  readonly #queue: QueueNumber;
  readonly #kind: CallKind<C>;
  #checkAt = new Date(0);

  constructor(ctx: EvmContext, queue: QueueNumber, kind: CallKind<C>) {
    this.#ctx = ctx;
    this.#queue = queue;
    this.#kind = kind;
  }

  /** @throws NodeUnreachable, and errors for which `isFatal` holds */
  async run(routers: readonly string[]): Promise<void> {
    const { clock, timing } = this.#ctx;
    if (!isDue(this.#checkAt, clock(), timing.queueIdleMs)) return;
    const due = await this.#due();
    for (const doc of due) await this.#call(routers, doc);
    if (due.length < AT_ONCE) this.#checkAt = later(this.#ctx, timing.queueIdleMs);
  }

  async #due(): Promise<Collections[C][]> {
    const { records, chainId, clock } = this.#ctx;
    const { collection, states, nameOf } = this.#kind;
    const now = clock();
    const due = await records.find(collection, {
      where: { chainId, state: { in: states }, notBefore: { lte: now } },
      sort: [['notBefore', 1]],
      limit: AT_ONCE * this.#queue.count,
    });
    return dueIn(this.#queue, due, nameOf, now).slice(0, AT_ONCE);
  }

  async #call(routers: readonly string[], doc: Collections[C]): Promise<void> {
    const { records, clock, log, chainId, timing } = this.#ctx;
    const { collection, noun, failed, asSeen, call, isFatal } = this.#kind;
    const change: ChangeDoc<C> = async (set) => {
      const changed = { set: { ...set, updatedAt: clock() } };
      return (await records.change(collection, doc._id, asSeen(doc), changed)) !== null;
    };
    try {
      await call(doc, routers, change);
    } catch (error) {
      if (error instanceof NodeUnreachable || isFatal?.(error) === true) throw error;
      if (error instanceof RouterRefuses) {
        log.warn({ chainId, [noun]: doc._id, error: error.message }, `${noun} is left to another sender`);
        return;
      }
      log.error({ chainId, [noun]: doc._id, error: messageOf(error) }, failed);
      await records.change(collection, doc._id, asSeen(doc), {
        set: { notBefore: later(this.#ctx, timing.retryMaxMs), updatedAt: clock() },
      });
    }
  }
}
