import { setTimeout as delay } from 'node:timers/promises';
import { isDue } from '../store/is-due.ts';
import { type ChainContext, later } from './context.ts';
import type { Endpoints } from './endpoints.ts';
import type { ChainHealth, SenderHealth } from './port.ts';
import type { FeeBalance } from './sender/gas.ts';

/** A loop of a chain that runs from `start` to `stop`. */
interface Runnable {
  start(): void;
  stop(): Promise<void>;
}

interface Sender extends Runnable {
  readonly feeBalance: FeeBalance;
  wake(): void;
}

interface Link extends Pick<Endpoints, 'answeredAt' | 'abort' | 'close'> {
  readonly head: number | null;
  latest(): Promise<unknown>;
  ready(): Promise<unknown>;
}

interface ChainLoopsOptions {
  readonly label: string;
  readonly enabled: boolean;
  /** False: nothing of this chain runs. */
  readonly hasOperators: boolean;
  /** For people: the missing configuration; null: nothing is missing. */
  readonly missing: string | null;
  readonly link: Link;
  readonly queues: readonly Sender[];
  /** Reconciler and log watcher. */
  readonly others: readonly Runnable[];
}

/** `health` asks the node itself only if no answer came for this long. */
const HEALTH_STALE_MS = 10_000;
/** How long `health` waits for the node. A later answer, or its absence, shows in the next report. */
const CHECK_MS = 500;
/** How long `health` counts an expired transaction. */
const EXPIRED_MS = 3_600_000;

/** All loops of one chain in one process, in every family: started, stopped and checked together. */
export class ChainLoops {
  readonly #ctx: Pick<ChainContext, 'chainId' | 'records' | 'troubles' | 'reverts' | 'timing' | 'clock'>;
  readonly #options: ChainLoopsOptions;
  #started = false;

  constructor(
    ctx: Pick<ChainContext, 'chainId' | 'records' | 'troubles' | 'reverts' | 'timing' | 'clock'>,
    options: ChainLoopsOptions,
  ) {
    this.#ctx = ctx;
    this.#options = options;
  }

  wake(): void {
    for (const queue of this.#options.queues) queue.wake();
  }

  /** Works once: a stopped chain does not start again. */
  start(): void {
    const { hasOperators, others, queues } = this.#options;
    if (!hasOperators) return;
    this.#started = true;
    for (const loop of [...others, ...queues]) loop.start();
  }

  async stop(): Promise<void> {
    const { link, queues, others } = this.#options;
    this.#started = false;
    const timer = setTimeout(() => link.abort(), this.#ctx.timing.stopGraceMs);
    await Promise.all([...queues, ...others].map((loop) => loop.stop()));
    clearTimeout(timer);
    await link.close();
  }

  async health(): Promise<ChainHealth> {
    const { chainId, records, troubles, reverts } = this.#ctx;
    const { label, enabled, missing, link, queues } = this.#options;
    await Promise.race([this.#checkIfStale(), delay(CHECK_MS, undefined, { ref: false })]);
    const open = await records.count('charges', { chainId, state: { in: ['waiting', 'started', 'sent', 'mined'] } });
    const senders = await healthOfSenders(this.#ctx, enabled ? queues.map(({ feeBalance }) => feeBalance) : []);
    const trouble = missing ?? troubles.sentence;
    return { chainId, label, enabled, trouble, head: link.head, reverts: reverts.inARow, open, senders };
  }

  /** Asks the node if no loop does: this process may run none, or all may wait. A failure shows as trouble. */
  async #checkIfStale(): Promise<void> {
    const { link, hasOperators } = this.#options;
    const answeredAt = link.answeredAt?.getTime() ?? 0;
    const isStale = isDue(answeredAt + HEALTH_STALE_MS, this.#ctx.clock(), HEALTH_STALE_MS);
    if (!isStale && (this.#started || link.head !== null)) return;
    await link
      .latest()
      .then(() => (this.#started || !hasOperators ? undefined : link.ready()))
      .catch(() => undefined);
  }
}

/** The state of a chain's senders, in their order. An old balance is read again. */
function healthOfSenders(
  ctx: Pick<ChainContext, 'records' | 'chainId' | 'clock'>,
  feeBalances: readonly FeeBalance[],
): Promise<SenderHealth[]> {
  const { records, chainId } = ctx;
  return Promise.all(
    feeBalances.map(async (feeBalance) => {
      const { address } = feeBalance;
      const where = { chainId, sender: address };
      const [inFlight, expired] = await Promise.all([
        records.count('transactions', { ...where, state: 'signed' }),
        records.count('transactions', { ...where, state: 'expired', askAt: { gte: later(ctx, -EXPIRED_MS) } }),
        feeBalance.refresh(),
      ]);
      const { balance, chargesLeft } = feeBalance;
      return { address, balance: balance === null ? null : String(balance), chargesLeft, inFlight, expired };
    }),
  );
}
