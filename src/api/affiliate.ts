import { invalid } from '../errors/fault.ts';
import { percentage, text } from '../http/input/fields.ts';
import type { Affiliate } from '../model/affiliate.ts';

/** The two fields of an affiliate in a request (docs/rules.md, "Money"). */
export const affiliateFields = {
  affiliatePartnerId: text(64)
    .nullish()
    .describe('Opaque. Only together with `affiliateCommissionPct`; moves no money.'),
  affiliateCommissionPct: percentage
    .nullish()
    .describe('A decimal string from 0 to 100, at most 2 decimal places. Only together with `affiliatePartnerId`.'),
};

/** Both fields or none; throws 400 and names the missing one. */
export function affiliateOf(body: {
  readonly affiliatePartnerId?: string | null | undefined;
  readonly affiliateCommissionPct?: string | null | undefined;
}): Affiliate | null {
  const { affiliatePartnerId: partnerId = null, affiliateCommissionPct: commissionPct = null } = body;
  if (partnerId === null && commissionPct === null) return null;
  if (partnerId === null) throw invalid('affiliatePartnerId is required together with affiliateCommissionPct');
  if (commissionPct === null) throw invalid('affiliateCommissionPct is required together with affiliatePartnerId');
  return { partnerId, commissionPct };
}
