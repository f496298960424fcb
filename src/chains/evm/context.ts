import type { ChainContext, ChainSizes } from '../context.ts';
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

export interface EvmSizes extends ChainSizes {
  /** The most reads in one call of Multicall3. */
  readonly multicall: number;
  /** The most addresses in one list of topics. */
  readonly topics: number;
  readonly logBlocks: number;
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
