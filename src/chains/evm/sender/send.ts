import { messageOf } from '../../../errors/message-of.ts';
import { traced } from '../../../observability/tracing.ts';
import type { ChargeDoc, Collections, TransactionDoc } from '../../../store/collections.ts';
import { isDue } from '../../../store/is-due.ts';
import type { Where } from '../../../store/port.ts';
import { later } from '../../context.ts';
import { NodeUnreachable, type RpcAnswer, type RpcCall } from '../../rpc.ts';
import { sendSpan, startCharges } from '../../sender/start.ts';
import { dueIn, type QueueNumber } from '../../sender/window.ts';
import type { EvmContext } from '../context.ts';
import { feesOf, mustAfford, type SenderState, senderQuestions, senderState } from '../fees.ts';
import type { Signer } from '../signer.ts';
import { gasEstimate } from '../wire.ts';
import { broadcast } from './broadcast.ts';
import { nextNonce, storeTransaction } from './ledger.ts';
import { mayBeInFlight, type Prepared } from './prepare.ts';
import { sign, type Unsigned } from './sign.ts';
import { encodePart, RouterRefuses, routerResult } from './simulate.ts';

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

/** A prepared batch with its nonce, the next one as far as the ledger is known. */
export interface Planned extends Prepared {
  readonly nonce: number;
  readonly minedCount: number;
}

/** How often another transaction may have the nonce before the signing queue gives up for now. */
const NONCE_TRIES = 20;

/**
 * Takes the charges and puts them into one transaction: start, sign, store, broadcast, in this order. After an
 * interruption between two steps, `recoverStarted` finds the started charges, and the reconciler finds a stored
 * transaction. Once another queue has recovered them, this one can store no transaction for them. Returns those sent.
 */
export function send(ctx: EvmContext, signer: Signer, router: string, planned: Planned): Promise<ChargeDoc[]> {
  const charges = planned.batch.charges;
  return traced(sendSpan(ctx, signer.address, charges), () => sendNow(ctx, signer, router, planned));
}

async function sendNow(ctx: EvmContext, signer: Signer, router: string, planned: Planned): Promise<ChargeDoc[]> {
  const transactionId = ctx.newId();
  const started = await startCharges(ctx, signer.address, () => transactionId, planned.batch.charges);
  if (started.length === 0) return [];
  await ctx.fault('sender.started.after');
  const transaction = await signAndStore(ctx, signer, router, started, planned);
  await ctx.fault('sender.stored.after');
  await markSent(ctx, transaction, started);
  await broadcast(ctx, [transaction]);
  await ctx.fault('sender.broadcast.after');
  ctx.wakeReconciler(ctx.timing.askFirstMs);
  return started;
}

async function signAndStore(
  ctx: EvmContext,
  signer: Signer,
  router: string,
  started: readonly ChargeDoc[],
  { batch, fees, gasLimit, nonce: first, minedCount }: Planned,
): Promise<TransactionDoc> {
  const id = started[0]?.transactionId ?? ctx.newId();
  const { data } = encodePart(started, batch);
  const chargeIds = started.map((charge) => charge._id);
  return storeSigned(ctx, signer, { id, to: router, data, gasLimit, fees, chargeIds }, { nonce: first, minedCount });
}

/** Signs with the first free nonce, and stores the transaction. Only then may it be broadcast. */
async function storeSigned(
  ctx: EvmContext,
  signer: Signer,
  unsigned: Omit<Unsigned, 'nonce'>,
  { nonce: first, minedCount }: Pick<Planned, 'nonce' | 'minedCount'>,
): Promise<TransactionDoc> {
  let nonce = first;
  for (let tries = 0; tries < NONCE_TRIES; tries += 1) {
    const transaction = await sign(ctx, signer, { ...unsigned, nonce });
    await ctx.fault('sender.stored.before');
    if ((await storeTransaction(ctx, transaction)) === 'stored') return transaction;
    nonce = await nextNonce(ctx, signer.address, minedCount);
  }
  throw new Error(`Sender ${signer.address} on chain ${ctx.chainId} found no free nonce in ${NONCE_TRIES} tries`);
}

async function markSent(ctx: EvmContext, transaction: TransactionDoc, started: readonly ChargeDoc[]): Promise<void> {
  await ctx.records.changeAlike(
    'charges',
    started.map(({ _id }) => _id),
    { state: 'started', transactionId: transaction._id },
    { set: { state: 'sent', updatedAt: ctx.clock() } },
  );
}

/** A call of a router that makes no charge: a permit, or an announced payee. */
interface PlainCall {
  readonly sender: string;
  readonly router: string;
  readonly data: string;
}

/** The values that signing a call needs. */
export interface CallReading extends SenderState {
  readonly call: PlainCall;
  readonly estimate: bigint;
}

/** The questions before the call is signed; `readingOf` reads the answers. The gas and the newest block come first. */
export function questionsOf({ sender, router, data }: PlainCall): RpcCall[] {
  const estimate = { method: 'eth_estimateGas', params: [{ from: sender, to: router, data }, 'latest'] };
  return [estimate, ...senderQuestions(sender)];
}

/** @throws RouterRefuses when the router is paused or does not accept the sender */
export function readingOf(
  link: Pick<EvmContext['link'], 'sawBlock'>,
  call: PlainCall,
  [estimate, ...state]: readonly RpcAnswer[],
): CallReading {
  return { call, estimate: gasEstimate.parse(routerResult(estimate, call.sender)), ...senderState(link, state) };
}

/** The document for which a call is sent. */
interface Caller {
  readonly permitId?: string;
  /** Takes the document for the transaction with this id. False: another process has it. */
  readonly take: (transactionId: string) => Promise<boolean>;
  /** Called when the transaction is stored, before it is broadcast. */
  readonly stored?: (transactionId: string) => Promise<void>;
}

/**
 * Sends a call in its own transaction: take, sign, store, broadcast, in this order and with the sender's next nonce, as
 * for a batch of charges. If the sender has too much in flight, nothing is taken.
 * @throws OutOfGas when the sender cannot pay for it
 */
export async function sendCall(
  ctx: EvmContext,
  signer: Signer,
  { call: { router, data }, ...reading }: CallReading,
  { permitId, take, stored }: Caller,
): Promise<void> {
  const { minedCount } = reading;
  const nonce = await nextNonce(ctx, signer.address, minedCount);
  const fees = feesOf(reading.block, reading.tip, ctx.link.fees);
  // A third more than the node's estimate, as for charges: the call may need more gas by the time of its block.
  const gasLimit = reading.estimate + reading.estimate / 3n;
  mustAfford(signer.address, reading.balance, gasLimit * fees.maxFeePerGas);
  if (!mayBeInFlight(ctx, nonce - minedCount, { gasLimit, fees }, reading.balance)) return;
  const id = ctx.newId();
  if (!(await take(id))) return;
  await ctx.fault('sender.started.after');
  const unsigned = { id, to: router, data, gasLimit, fees, chargeIds: [], ...(permitId ? { permitId } : {}) };
  const transaction = await storeSigned(ctx, signer, unsigned, { nonce, minedCount });
  await ctx.fault('sender.stored.after');
  await stored?.(id);
  await broadcast(ctx, [transaction]);
  await ctx.fault('sender.broadcast.after');
  ctx.wakeReconciler(ctx.timing.askFirstMs);
}
