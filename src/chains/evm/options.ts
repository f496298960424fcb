/** Sizes of what is asked and sent at once. */
export interface EvmSizes {
  /** Charges in one transaction, where their gas allows as many. */
  readonly charges: number;
  /** Transactions of one sender on their way at once: nodes keep only so many of one account. */
  readonly inFlight: number;
  /** Calls in one JSON-RPC request. */
  readonly rpcBatch: number;
  /** Reads in one call of Multicall3. */
  readonly multicall: number;
  /** Addresses in one list of topics. */
  readonly topics: number;
  /** Blocks in one request for logs. */
  readonly logBlocks: number;
  /** How many blocks are read again, for a reorganisation may have changed them. */
  readonly logOverlap: number;
}

export const EVM_SIZES: EvmSizes = {
  charges: 100,
  inFlight: 16,
  rpcBatch: 100,
  multicall: 500,
  topics: 500,
  logBlocks: 2_000,
  logOverlap: 32,
};
