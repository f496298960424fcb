import type { ChainContext } from './context.ts';
import type { Endpoints } from './endpoints.ts';
import type { ChainHealth } from './port.ts';
import type { FeeBalance } from './sender/gas.ts';
import { healthOfSenders } from './sender/senders.ts';

/** Something of a chain that runs by itself from `start` to `stop`. */
interface Part {
  start(): void;
  stop(): Promise<void>;
}

interface SigningQueue extends Part {
  readonly feeBalance: FeeBalance;
  wake(): void;
}

interface Link extends Pick<Endpoints, 'answeredAt' | 'abort' | 'close'> {
  readonly head: number | null;
  latest(): Promise<unknown>;
  ready(): Promise<unknown>;
}

export interface ChainPartsOptions {
  readonly label: string;
  readonly enabled: boolean;
  /** Where it has no operators there is nothing that could run. */
  readonly hasOperators: boolean;
  /** What the configuration lacks, for people; null: nothing. */
  readonly missing: string | null;
  readonly link: Link;
  readonly queues: readonly SigningQueue[];
  /** Reconciler and log watcher. */
  readonly others: readonly Part[];
}

/** Health is asked of the node itself only when nothing else has been for so long. */
const HEALTH_STALE_MS = 10_000;

/** What runs of one chain in one process, whatever its family: begun, ended and checked together. */
export class ChainParts {
  readonly #ctx: Pick<ChainContext, 'chainId' | 'records' | 'troubles' | 'timing' | 'clock'>;
  readonly #options: ChainPartsOptions;
  #started = false;

  constructor(
    ctx: Pick<ChainContext, 'chainId' | 'records' | 'troubles' | 'timing' | 'clock'>,
    options: ChainPartsOptions,
  ) {
    this.#ctx = ctx;
    this.#options = options;
  }

  wake(): void {
    for (const queue of this.#options.queues) queue.wake();
  }

  /** Once only: a chain that has been stopped is made anew. */
  start(): void {
    const { hasOperators, others, queues } = this.#options;
    if (!hasOperators) return;
    this.#started = true;
    for (const part of [...others, ...queues]) part.start();
  }

  async stop(): Promise<void> {
    const { link, queues, others } = this.#options;
    this.#started = false;
    const timer = setTimeout(() => link.abort(), this.#ctx.timing.stopGraceMs);
    await Promise.all([...queues, ...others].map((part) => part.stop()));
    clearTimeout(timer);
    await link.close();
  }

  async health(): Promise<ChainHealth> {
    const { chainId, records, troubles } = this.#ctx;
    const { label, enabled, missing, link, queues } = this.#options;
    await this.#checkIfStale();
    const open = await records.count('charges', { chainId, state: { in: ['waiting', 'started', 'sent', 'mined'] } });
    const senders = await healthOfSenders(this.#ctx, enabled ? queues.map(({ feeBalance }) => feeBalance) : []);
    return { chainId, label, enabled, trouble: missing ?? troubles.sentence, head: link.head, open, senders };
  }

  /** A process that runs no loops of this chain, or waits in all of them, asks once itself. What fails shows as trouble. */
  async #checkIfStale(): Promise<void> {
    const { link, hasOperators } = this.#options;
    const answeredAt = link.answeredAt?.getTime() ?? 0;
    if (this.#ctx.clock().getTime() - answeredAt < HEALTH_STALE_MS && (this.#started || link.head !== null)) return;
    await link
      .latest()
      .then(() => (this.#started || !hasOperators ? undefined : link.ready()))
      .catch(() => undefined);
  }
}
