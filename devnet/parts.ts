import { evmPart } from './evm-part.ts';
import { mongoPart } from './mongo-part.ts';
import type { Part, PartContext } from './part.ts';
import type { PartName } from './protocol.ts';
import { solanaPart } from './solana-part.ts';

/** Everything that a supervisor can run: one row per part. */
export const parts: Record<PartName, (context: PartContext) => Part> = {
  mongo: mongoPart,
  evm: evmPart,
  solana: solanaPart,
};
