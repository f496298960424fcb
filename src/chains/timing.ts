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
  /**
   * A charge that was started this long ago and is in no transaction is taken by any signing queue: its own no longer
   * exists.
   */
  readonly orphanMs: number;
  /** The time from a broadcast to the first check of a transaction, and the longest interval between checks. */
  readonly askFirstMs: number;
  readonly askMaxMs: number;
  /** The same for a final transaction that waits to be finalized. */
  readonly finalizedFirstMs: number;
  readonly finalizedMaxMs: number;
  /**
   * How long a transaction may take to get into a block before its sender checks why, and replaces it. Each replacement
   * gets the same time.
   */
  readonly replaceMs: number;
  /** How often the reconciler searches for transactions that it does not know. */
  readonly reconcileIdleMs: number;
  /** The time to the next check of a token whose contract differs from the catalog, or that lets nobody transfer. */
  readonly tokensMs: number;
  /** How often logs are read. */
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
