import { nextTerms } from '../../../machines/subscription/changes.ts';
import type { SubscriptionContext, Terms } from '../../../machines/subscription/context.ts';

/**
 * The terms of the next charge: an open cycle keeps its own; any other has those of a migration that takes effect with it.
 */
export function termsOfNextCharge(context: SubscriptionContext): Terms {
  return context.open === null ? nextTerms(context) : context.terms;
}
