/** Both fields or none. They move no money (docs/rules.md, "Money"). */
export interface Affiliate {
  readonly partnerId: string;
  /** Decimal string, 0 to 100, at most two decimals. */
  readonly commissionPct: string;
}

export function affiliateOf(from: {
  readonly affiliatePartnerId: string | null;
  readonly affiliateCommissionPct: string | null;
}): Affiliate | null {
  const { affiliatePartnerId: partnerId, affiliateCommissionPct: commissionPct } = from;
  return partnerId === null || commissionPct === null ? null : { partnerId, commissionPct };
}
