/** What only some runs have: prices per unit, prices by use, or changes of the plan at once. */
export type Feature = 'per_unit' | 'metered' | 'changes';

/** A fifth of the seeds has prices per unit, a few have the others. None has a seed that once failed, or coupons. */
export function featureOf(seed: number): Feature | null {
  if (seed % 5 === 2) return 'per_unit';
  if (seed % 15 === 5) return 'metered';
  return seed % 30 === 23 ? 'changes' : null;
}
