import { keccak256 } from 'ethers';
import { createKeccak } from 'hash-wasm';

/**
 * Lets all code of ethers compute Keccak-256 in WebAssembly. A batch is hashed twice, so in JavaScript it was a tenth
 * of the processor time of a charge (docs/benchmarks.md).
 */
export async function useFastKeccak(): Promise<void> {
  const hasher = await createKeccak(256);
  keccak256.register((data) => hasher.init().update(data).digest('binary'));
}
