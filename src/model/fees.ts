import { invalid } from '../errors/fault.ts';

/** 100 %, in basis points. */
export const FEE_BPS_MAX = 10_000;

/** A merchant's fee in basis points. Throws 400 if it is not an integer from 0 to 10,000. See `divide`. */
export function requireFeeBps(feeBps: number): number {
  if (!Number.isInteger(feeBps) || feeBps < 0 || feeBps > FEE_BPS_MAX) {
    throw invalid(`feeBps must be an integer between 0 and ${FEE_BPS_MAX}`);
  }
  return feeBps;
}
