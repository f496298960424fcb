import { setTimeout as delay } from 'node:timers/promises';
import { isDue } from '../store/is-due.ts';
import { type ChainContext, type ChainSizes, type ChainTiming, later } from './context.ts';
import type { Endpoints } from './endpoints.ts';
import type { Chain, SenderHealth } from './port.ts';
import type { OpenRpc } from './rpc.ts';
import type { FeeBalance } from './sender/gas.ts';
import { SenderLoop, type SenderStrategy } from './sender/sender-loop.ts';
import { type QueueNumber, WaitingWindow } from './sender/window.ts';

/** What the environment says of a chain, in every family. */
export interface ChainConfig<Sizes extends ChainSizes> {
  /** `RPC_URL_<chainId>`: at least one, in the order of preference. May contain credentials. */
  readonly rpcUrls: readonly [string, ...string[]];
  /** `CONFIRMATIONS_<chainId>`; null: the catalog's number, on Solana the commitment `confirmed`. */
  readonly confirmations: number | null;
  readonly timing?: Partial<ChainTiming>;
  readonly sizes?: Partial<Sizes>;
}

export interface ChainDeps
  extends Pick<ChainContext, 'records' | 'listener' | 'leases' | 'clock' | 'newId' | 'fault' | 'log'> {
  /** Opens connections to nodes; absent: over HTTP. */
  readonly openRpc?: OpenRpc;
}

/** A loop of a chain that runs from `start` to `stop`. */
interface Runnable {
  start(): void;
  stop(): Promise<void>;
}

interface Link extends Pick<Endpoints, 'answeredAt' | 'abort' | 'close'> {
  readonly head: number | null;
  latest(): Promise<unknown>;
  ready(): Promise<unknown>;
}

interface ChainLoopsOptions<Ready> {
  readonly label: string;
  /** For people: the missing configuration of operators, without which nothing of this chain runs; null: none is. */
  readonly noOperators: string | null;
  /** The same of keys that send. */
  readonly noSenders: string;
  readonly link: Link;
  /** In the order of their keys, which is the same in every process. */
  readonly senders: readonly ((queue: QueueNumber) => SenderStrategy<Ready>)[];
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
export function chainLoops<Ready>(
  ctx: ChainContext,
  { label, noOperators, noSenders, link, senders, others }: ChainLoopsOptions<Ready>,
): Pick<Chain, 'enabled' | 'senderCount' | 'wake' | 'start' | 'stop' | 'health'> {
  const window = new WaitingWindow(ctx);
  const queues = senders.map((open, index) => {
    const queue = { index, count: senders.length };
    return new SenderLoop(ctx, window.forQueue(queue), open(queue));
  });
  const missing = noOperators ?? (senders.length === 0 ? noSenders : null);
  const enabled = missing === null;
  let isStarted = false;

  /** Asks the node if no loop does: this process may run none, or all may wait. A failure shows as trouble. */
  const checkIfStale = async (): Promise<void> => {
    const answeredAt = link.answeredAt?.getTime() ?? 0;
    const isStale = isDue(answeredAt + HEALTH_STALE_MS, ctx.clock(), HEALTH_STALE_MS);
    if (!isStale && (isStarted || link.head !== null)) return;
    await link
      .latest()
      .then(() => (isStarted || noOperators !== null ? undefined : link.ready()))
      .catch(() => undefined);
  };

  return {
    enabled,
    senderCount: senders.length,
    wake() {
      for (const queue of queues) queue.wake();
    },
    /** Works once: a stopped chain does not start again. */
    async start() {
      if (noOperators !== null) return;
      isStarted = true;
      for (const loop of [...others, ...queues]) loop.start();
    },
    async stop() {
      isStarted = false;
      const timer = setTimeout(() => link.abort(), ctx.timing.stopGraceMs);
      await Promise.all([...queues, ...others].map((loop) => loop.stop()));
      clearTimeout(timer);
      await link.close();
    },
    async health() {
      const { chainId, records, troubles, reverts } = ctx;
      await Promise.race([checkIfStale(), delay(CHECK_MS, undefined, { ref: false })]);
      const open = await records.count('charges', { chainId, state: { in: ['waiting', 'started', 'sent', 'mined'] } });
      const health = await healthOfSenders(ctx, enabled ? queues.map(({ feeBalance }) => feeBalance) : []);
      const trouble = missing ?? troubles.sentence;
      return { chainId, label, enabled, trouble, head: link.head, reverts: reverts.inARow, open, senders: health };
    },
  };
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
