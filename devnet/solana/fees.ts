import { PublicKey, type VersionedMessage } from '@solana/web3.js';
import { COMPUTE_BUDGET_PROGRAM } from '../../src/chains/solana/programs.ts';

const BUDGET = new PublicKey(COMPUTE_BUDGET_PROGRAM);
const PER_SIGNATURE = 5_000n;
const UNITS_PER_INSTRUCTION = 200_000n;
const UNITS_MOST = 1_400_000n;
const MICRO = 1_000_000n;

/** The fee of a transaction in lamports: its signatures, and the price of the units that it requests. */
export function feeOf(message: VersionedMessage): number {
  let price = 0n;
  let limit: bigint | null = null;
  let others = 0n;
  const budget = message.staticAccountKeys.findIndex((key) => key.equals(BUDGET));
  for (const { programIdIndex, data } of message.compiledInstructions) {
    if (programIdIndex !== budget) {
      others += 1n;
      continue;
    }
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    if (data[0] === 2 && data.length >= 5) limit = BigInt(view.getUint32(1, true));
    if (data[0] === 3 && data.length >= 9) price = view.getBigUint64(1, true);
  }
  const asked = limit ?? others * UNITS_PER_INSTRUCTION;
  const units = asked < UNITS_MOST ? asked : UNITS_MOST;
  const signatures = BigInt(message.header.numRequiredSignatures) * PER_SIGNATURE;
  return Number(signatures + (price * units + MICRO - 1n) / MICRO);
}
