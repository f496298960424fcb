/** Both fields or none. They move no money (docs/rules.md, "Money"). */
export interface Affiliate {
  readonly partnerId: string;
  /** Decimal string, 0 to 100, at most two decimals. */
  readonly commissionPct: string;
}
