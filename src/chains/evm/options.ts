/** The sizes of requests and transactions. */
export interface EvmSizes {
  /** The most charges in one transaction, if their gas allows it. */
  readonly charges: number;
  /** The most transactions of one sender in flight: nodes keep a limited number for one account. */
  readonly inFlight: number;
  /** The most calls in one JSON-RPC request. */
  readonly rpcBatch: number;
  /** The most reads in one call of Multicall3. */
  readonly multicall: number;
  /** The most addresses in one list of topics. */
  readonly topics: number;
  /** The most blocks in one request for logs. */
  readonly logBlocks: number;
  /** The number of blocks that are read again, because a reorganisation may have changed them. */
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
