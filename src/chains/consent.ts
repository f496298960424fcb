import type { ChargeDoc } from '../store/collections.ts';

/**
 * Which operator of a merchant pulls: the open one, or the one that pulls under mandates only (docs/rules.md, "Operators,
 * consent, allowances").
 */
export interface Consent {
  readonly isBounded: boolean;
  /** EVM: the router of the operator. Null: the router that was the first of its chain; on Solana always. */
  readonly router: string | null;
}

/** An allowance of the open operator, of the router that was the first of its chain. */
export const OPEN: Consent = { isBounded: false, router: null };

/** The consent that a charge draws on. */
export function consentOf({ mandate, router }: Pick<ChargeDoc, 'mandate' | 'router'>): Consent {
  return { isBounded: mandate !== undefined, router: router ?? null };
}
