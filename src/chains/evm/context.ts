import type { ChainContext } from '../context.ts';
import type { AllowanceReader } from './allowances.ts';
import type { EvmLink } from './link.ts';
import type { EvmSizes } from './options.ts';

/** What the parts of one EVM chain share. */
export interface EvmContext extends ChainContext {
  /** Blocks, its own included, that make a transaction final. */
  readonly confirmations: number;
  readonly link: EvmLink;
  readonly allowances: AllowanceReader;
  readonly sizes: EvmSizes;
}
