import { z } from 'zod';

/** `{paymentId}` in a path: `pay_…`, `inv_…` or `sub-pay-…` (docs/rules.md, "Names, roots, shapes"). */
export const paymentParams = z.object({
  paymentId: z.string().describe('The payment: `pay_…`; for a cycle also `inv_…` or `sub-pay-…`.'),
});
