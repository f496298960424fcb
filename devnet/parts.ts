import { evmPart } from './evm-part.ts';
import { mongoPart } from './mongo-part.ts';
import type { Part, PartContext } from './part.ts';
import type { PartName } from './protocol.ts';
import { solanaPart } from './solana-part.ts';

/** All parts that a supervisor can run. */
export const parts: Record<PartName, (context: PartContext) => Part> = {
  mongo: mongoPart,
  evm: evmPart,
  solana: solanaPart,
};
