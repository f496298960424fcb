import type { SimulatedChain } from '../simulated-chain.ts';

/** What the chain as it is now shows that must never be, whatever has happened: cheap, for every block. */
export function chainViolations(place: Pick<SimulatedChain, 'charges'>): string[] {
  const seen = new Map<string, string>();
  const violations: string[] = [];
  for (const { key, txHash, block } of place.charges()) {
    const before = seen.get(key);
    if (before !== undefined)
      violations.push(`key ${key} was charged in ${before}, and in ${txHash} of block ${block}`);
    seen.set(key, txHash);
  }
  return violations;
}
