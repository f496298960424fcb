/** The sizes of requests and batches. */
export interface SolanaSizes {
  /** The most charges of one pass. Each becomes a transaction. */
  readonly charges: number;
  /** The most transactions of one fee payer that are in flight. */
  readonly inFlight: number;
  /** The most calls in one JSON-RPC request. */
  readonly rpcBatch: number;
  /** How many slots the watcher reads again: nodes list signatures a little later than they confirm them. */
  readonly logOverlap: number;
}

export const SOLANA_SIZES: SolanaSizes = { charges: 100, inFlight: 500, rpcBatch: 100, logOverlap: 32 };

/** The most entries that nodes take in one call of `getMultipleAccounts`, and of `getSignatureStatuses`. */
export const ACCOUNTS_PER_CALL = 100;
export const STATUSES_PER_CALL = 256;
