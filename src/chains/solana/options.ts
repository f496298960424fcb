/** Sizes of what is asked and sent at once. */
export interface SolanaSizes {
  /** The most charges of one pass. Each becomes a transaction. */
  readonly charges: number;
  /** Transactions of one fee payer on their way at once. */
  readonly inFlight: number;
  /** Calls in one JSON-RPC request. */
  readonly rpcBatch: number;
  /** How many slots are read again by the watcher: nodes list signatures a little later than they confirm them. */
  readonly logOverlap: number;
}

export const SOLANA_SIZES: SolanaSizes = { charges: 100, inFlight: 500, rpcBatch: 100, logOverlap: 32 };

/** What nodes take in one call of `getMultipleAccounts`, and of `getSignatureStatuses`. */
export const ACCOUNTS_PER_CALL = 100;
export const STATUSES_PER_CALL = 256;
