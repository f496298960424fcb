import { messageOf } from '../errors/message-of.ts';
import type { Log } from '../observability/log.ts';
import type { LedgerRecords } from '../store/port.ts';
import type { Leases } from '../store/workers.ts';
import type { ChargeListener } from './port.ts';
import { NodeUnreachable, type OpenRpc, type RpcAnswer, type RpcCall } from './rpc.ts';

/** The life of a lease, in milliseconds. After it another process takes over the signing queue of a dead one. */
export const LEASE_MS = 3_000;

/** All intervals and limits of a chain, in milliseconds. */
export interface ChainTiming {
  /** The usual time between two blocks. */
  readonly blockMs: number;
  /** The time-out of an RPC request. */
  readonly rpcTimeoutMs: number;
  /** How often the nodes of a chain are compared, if there are several. */
  readonly rpcCheckMs: number;
  /** The pause of a node that does not answer: the first, and the longest. */
  readonly rpcRestFirstMs: number;
  readonly rpcRestMaxMs: number;
  /** A node whose newest block is older than the others' by more than this is behind. */
  readonly rpcLagMs: number;
  /** How long requests under way may still take when the chain stops. */
  readonly stopGraceMs: number;
  /** How often an idle signing queue searches for charges, at first: it searches less often while it finds none. */
  readonly queueIdleMs: number;
  /** The pause of a charge whose payment gave no answer, or whose transaction reverted as a whole. */
  readonly postponeMs: number;
  /** How long the signing queue of a silent process stays with it before another process takes it over. */
  readonly leaseMs: number;
  /** Any signing queue takes a charge that was started this long ago without a transaction: its own is gone. */
  readonly orphanMs: number;
  /** The time from a broadcast to the first check of a transaction, and the longest interval between checks. */
  readonly askFirstMs: number;
  readonly askMaxMs: number;
  /** The same for a final transaction that waits to be finalized. */
  readonly finalizedFirstMs: number;
  readonly finalizedMaxMs: number;
  /** How long a transaction may wait for a block before its sender checks why, and replaces it, each time. */
  readonly replaceMs: number;
  /** How often the reconciler searches for transactions that it does not know. */
  readonly reconcileIdleMs: number;
  /** The time to the next check of a token whose contract differs from the catalog, or that lets nobody transfer. */
  readonly tokensMs: number;
  readonly logsMs: number;
  /** How often the allowances of live subscriptions are compared, on a chain without logs of approvals. */
  readonly allowancesMs: number;
  /** The time between two pages of a pass over all watches. Each check of the logs reads the new ones. */
  readonly watchesMs: number;
  /** The pause after an error: the first, and the longest. */
  readonly retryFirstMs: number;
  readonly retryMaxMs: number;
}

export function chainTiming(blockMs: number, changes: Partial<ChainTiming> = {}): ChainTiming {
  return {
    blockMs,
    rpcTimeoutMs: 8_000,
    rpcCheckMs: 15_000,
    rpcRestFirstMs: 1_000,
    rpcRestMaxMs: 60_000,
    rpcLagMs: 30_000,
    stopGraceMs: 3_000,
    queueIdleMs: between(250, blockMs, 1_000),
    postponeMs: 5_000,
    leaseMs: LEASE_MS,
    orphanMs: 60_000,
    askFirstMs: between(50, blockMs / 4, 1_000),
    askMaxMs: between(1_000, blockMs * 4, 30_000),
    finalizedFirstMs: between(1_000, blockMs * 5, 60_000),
    finalizedMaxMs: 300_000,
    replaceMs: between(3_000, blockMs * 6, 90_000),
    reconcileIdleMs: between(500, blockMs, 2_000),
    tokensMs: 30_000,
    logsMs: between(200, blockMs, 6_000),
    allowancesMs: between(200, blockMs * 5, 6_000),
    watchesMs: 60_000,
    retryFirstMs: 200,
    retryMaxMs: 10_000,
    ...changes,
  };
}

function between(least: number, value: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

/** The end of one call or batch. `method`: of a batch the one method of all its calls, else `batch`. */
export interface TimedCall {
  readonly method: string;
  readonly outcome: 'answered' | 'refused' | 'unreachable';
}

/** Opens connections that tell `note` how long each call took, in seconds. */
export function timedRpc(open: OpenRpc, note: (call: TimedCall, seconds: number) => void): OpenRpc {
  return (options) => {
    const rpc = open(options);
    const timed = async <T>(method: string, ask: () => Promise<T>): Promise<T> => {
      const began = performance.now();
      const done = (outcome: TimedCall['outcome']) => note({ method, outcome }, (performance.now() - began) / 1_000);
      try {
        const answer = await ask();
        done('answered');
        return answer;
      } catch (error) {
        done(error instanceof NodeUnreachable ? 'unreachable' : 'refused');
        throw error;
      }
    };
    return {
      host: rpc.host,
      batch: (calls): Promise<RpcAnswer[]> => timed(methodOf(calls), () => rpc.batch(calls)),
      call: (method, params) => timed(method, () => rpc.call(method, params)),
      abort: () => rpc.abort(),
      close: () => rpc.close(),
    };
  };
}

function methodOf(calls: readonly RpcCall[]): string {
  const methods = new Set(calls.map(({ method }) => method));
  const [only] = methods;
  return methods.size === 1 && only !== undefined ? only : 'batch';
}

/** The current troubles of one chain, for `/health`: one sentence for each thing that is wrong. */
export class Troubles {
  readonly #sentences = new Map<string, string>();

  /** Sets the trouble of one thing, or clears it with null. Returns true if that changed anything. */
  set(thing: string, sentence: string | null): boolean {
    if ((this.#sentences.get(thing) ?? null) === sentence) return false;
    if (sentence === null) this.#sentences.delete(thing);
    else this.#sentences.set(thing, sentence);
    return true;
  }

  /** All sentences joined, each once. Null: all is well. */
  get sentence(): string | null {
    return this.#sentences.size === 0 ? null : [...new Set(this.#sentences.values())].join('; ');
  }
}

/** The chain cannot go on before something changes, and its charges wait. The message is for people. */
export class Blocked extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'Blocked';
  }
}

/** As many transactions that revert one after another are a trouble. One alone may be bad luck. */
const TROUBLE_FROM = 2;

/** Counts the transactions of one chain that reverted as a whole, one after another. One that does not ends the row. */
export class Reverts {
  readonly #troubles: Troubles;
  #inARow = 0;

  constructor(troubles: Troubles) {
    this.#troubles = troubles;
  }

  /** As this process has seen them. */
  get inARow(): number {
    return this.#inARow;
  }

  /** Notes a transaction that a block contains since the last check. */
  saw({ reverted, txHash }: { readonly reverted: boolean; readonly txHash: string }): void {
    this.#inARow = reverted ? this.#inARow + 1 : 0;
    const sentence = `${this.#inARow} transactions in a row have reverted as a whole, the last one ${txHash}; their charges are tried again in halves`;
    this.#troubles.set('reverts', this.#inARow >= TROUBLE_FROM ? sentence : null);
  }
}

/** The points between two steps at which a test can kill, fail or delay this process. */
export type ChainFaultPoint =
  | 'sender.started.after'
  | 'sender.stored.before'
  | 'sender.stored.after'
  | 'sender.broadcast.after'
  | 'keeper.stored.before'
  | 'keeper.stored.after'
  | 'reconciler.notify.before'
  | 'reconciler.notify.after';

/** The sizes of requests and batches. */
export interface ChainSizes {
  /** The most charges in one transaction, if their gas allows it; on Solana, of one pass. */
  readonly charges: number;
  /** The most transactions of one sender in flight: nodes keep a limited number for one account. */
  readonly inFlight: number;
  /** The most calls in one JSON-RPC request. */
  readonly rpcBatch: number;
  /** The blocks that are read again: a reorganisation may have changed them. On Solana nodes list signatures late. */
  readonly logOverlap: number;
}

/** The dependencies that all parts of one chain share, in every family. */
export interface ChainContext {
  readonly chainId: number;
  readonly records: LedgerRecords;
  readonly listener: ChargeListener;
  readonly leases: Leases;
  readonly troubles: Troubles;
  readonly reverts: Reverts;
  readonly timing: ChainTiming;
  readonly clock: () => Date;
  /** A fresh id for a transaction. */
  readonly newId: () => string;
  readonly fault: (point: ChainFaultPoint, detail?: string) => Promise<void>;
  readonly log: Log;
  /** Wakes the reconciler in `inMs` milliseconds: transactions are due then. */
  readonly wakeReconciler: (inMs: number) => void;
  /** Wakes the signing queues: charges wait, or more transactions may be sent. */
  readonly wakeQueues: () => void;
}

/** The moment `ms` from now. */
export function later(ctx: Pick<ChainContext, 'clock'>, ms: number): Date {
  return new Date(ctx.clock().getTime() + ms);
}

/** Gives a lease back at the end. If that fails, others wait a little, until the lease expires. */
export async function giveBack(ctx: Pick<ChainContext, 'leases' | 'log' | 'chainId'>, lease: string): Promise<void> {
  await ctx.leases.release(lease).catch((error: unknown) => {
    ctx.log.warn(
      { chainId: ctx.chainId, lease, error: messageOf(error) },
      'could not give the lease back; others wait until it expires',
    );
  });
}
