import { keccak256 } from 'ethers';
import { createKeccak } from 'hash-wasm';

/** ethers computes Keccak-256 in WebAssembly: in JavaScript it was a tenth of a charge (docs/benchmarks.md). */
export async function useFastKeccak(): Promise<void> {
  const hasher = await createKeccak(256);
  keccak256.register((data) => hasher.init().update(data).digest('binary'));
}
