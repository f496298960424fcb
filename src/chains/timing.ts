/** The life of a lease. After it another process takes over the signing queue of a dead one. */
export const LEASE_MS = 3_000;

/** How often and how long: everything of a chain that is about time, in milliseconds. */
export interface ChainTiming {
  /** How far apart blocks are, about. */
  readonly blockMs: number;
  /** How long an RPC request may take. */
  readonly rpcTimeoutMs: number;
  /** How often the endpoints of a chain are compared, where there are several. */
  readonly rpcCheckMs: number;
  /** How long an endpoint that does not answer is left alone: at first, and how far that grows. */
  readonly rpcRestFirstMs: number;
  readonly rpcRestMaxMs: number;
  /** An endpoint whose newest block is older than the others' by more than this is behind. */
  readonly rpcLagMs: number;
  /** How long requests under way may still take when the chain is stopped. */
  readonly stopGraceMs: number;
  /** How often a signing queue searches for charges that nobody woke it for, at first: it checks less often while it finds none. */
  readonly queueIdleMs: number;
  /** How long a charge rests that its payment did not give free, or whose transaction reverted as a whole. */
  readonly postponeMs: number;
  /** How long a signing queue that has gone is waited for before another process takes it over. */
  readonly leaseMs: number;
  /** A started charge that no transaction has taken for so long is taken up by any signing queue: its own no longer exists. */
  readonly orphanMs: number;
  /** When a transaction is first asked about after its broadcast, and how far the interval then grows. */
  readonly askFirstMs: number;
  readonly askMaxMs: number;
  /** The same for a final one that waits to be finalized. */
  readonly finalizedFirstMs: number;
  readonly finalizedMaxMs: number;
  /**
   * How long a transaction is given to get into a block before its sender checks why it does not, and replaces it; each
   * replacement is given as long.
   */
  readonly replaceMs: number;
  /** How often the reconciler searches for transactions that it does not know of. */
  readonly reconcileIdleMs: number;
  /** How long a token whose contract did not say what the catalog says is left alone before it is asked again. */
  readonly tokensMs: number;
  /** How often logs are read. */
  readonly logsMs: number;
  /** How often what live subscriptions may take is compared, on a chain without logs of approvals. */
  readonly allowancesMs: number;
  /** Milliseconds between whole readings of the list of watches. Each check of the logs reads the new ones. */
  readonly watchesMs: number;
  /** Pauses after an error: the first, and how far they grow. */
  readonly retryFirstMs: number;
  readonly retryMaxMs: number;
}

/** The pace of a chain whose blocks are `blockMs` apart. */
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
