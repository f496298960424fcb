import type { SimulatedChain } from '../simulated-chain.ts';

/** Violations that the current chain alone shows. Cheap enough to run after every block. */
export function chainViolations(chain: Pick<SimulatedChain, 'charges'>): string[] {
  const seen = new Map<string, string>();
  const violations: string[] = [];
  for (const { key, txHash, block } of chain.charges()) {
    const before = seen.get(key);
    if (before !== undefined)
      violations.push(`key ${key} was charged twice: in ${before}, and in ${txHash} of block ${block}`);
    seen.set(key, txHash);
  }
  return violations;
}
