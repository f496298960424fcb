import type { EvmContext } from '../context.ts';
import type { Prepared } from './prepare.ts';

/**
 * True if another transaction may be sent beside those in flight. Nodes keep a limited number of one sender, and only
 * as many as its balance pays for together. Each one in flight is assumed to cost as much as this one.
 */
export function mayBeInFlight(
  { sizes }: Pick<EvmContext, 'sizes'>,
  inFlight: number,
  { gasLimit, fees }: Pick<Prepared, 'gasLimit' | 'fees'>,
  balance: bigint,
): boolean {
  return inFlight < sizes.inFlight && balance >= gasLimit * fees.maxFeePerGas * BigInt(inFlight + 1);
}
