import { nextTerms } from '../../../machines/subscription/changes.ts';
import { isInFlight, subscriptionContextOf } from '../../model/subscription.ts';
import type { ClaimDoc } from './claimants.ts';
import type { Reserve } from './coverage.ts';

/**
 * Whether the next charge of a live subscription has a reserve (docs/rules.md, "Operators, consent, allowances"). There
 * is no next charge if all cycles are paid, or if the subscription is to be canceled before it.
 */
export function reserveOf(doc: ClaimDoc): Reserve {
  const context = subscriptionContextOf(doc);
  const { open, cancelAt, cyclesCompleted } = context;
  const { maxCycles } = nextTerms(context);
  const cyclesAfter = cyclesCompleted + (open === null ? 0 : 1);
  const isLast = cancelAt !== null || (maxCycles !== null && cyclesAfter >= maxCycles);
  if (!isLast) return 'sure';
  if (open === null) return 'none';
  return isInFlight(doc) ? 'unsure' : 'sure';
}
