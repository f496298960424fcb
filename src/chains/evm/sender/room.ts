import type { EvmContext } from '../context.ts';
import type { Prepared } from './prepare.ts';

/**
 * Whether another transaction may go beside those that are in flight: nodes keep only so many of one sender, and only what
 * its balance pays for altogether. What those cost is taken to be what this one does.
 */
export function hasRoom(
  { sizes }: Pick<EvmContext, 'sizes'>,
  inFlight: number,
  { gasLimit, fees }: Pick<Prepared, 'gasLimit' | 'fees'>,
  balance: bigint,
): boolean {
  return inFlight < sizes.inFlight && balance >= gasLimit * fees.maxFeePerGas * BigInt(inFlight + 1);
}
