import { nextTerms } from '../../../machines/subscription/changes.ts';
import type { SubscriptionContext, Terms } from '../../../machines/subscription/context.ts';

/** The terms of the charge that comes next: an open cycle keeps its own, any other has those that a migration brings to it. */
export function termsOfNextCharge(context: SubscriptionContext): Terms {
  return context.open === null ? nextTerms(context) : context.terms;
}
