import type { ChainContext } from '../context.ts';
import type { MandateReader } from '../mandate-reader.ts';
import type { AllowanceReader } from './allowances.ts';
import type { EvmLink } from './link.ts';
import type { Routers } from './routers.ts';

/** The values that the parts of one EVM chain share. */
export interface EvmContext extends ChainContext {
  /** The number of blocks, with the transaction's own, that make it final. */
  readonly confirmations: number;
  readonly link: EvmLink;
  readonly routers: Routers;
  readonly allowances: AllowanceReader;
  readonly mandates: MandateReader;
  /** By key of a charge, the block down to which its logs were searched for in vain (`findCycleCharge`). */
  readonly searched: Map<string, number>;
  readonly sizes: EvmSizes;
}

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
