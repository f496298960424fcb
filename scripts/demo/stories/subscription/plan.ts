/** What is sold: by the month, in the one token of the shop. */
export interface Plan {
  readonly offer: string;
  /** Decimal, in units of the token. */
  readonly price: string;
  /** null: charged until somebody cancels. */
  readonly maxCycles: number | null;
  /** Left out: only the days of grace are a limit. */
  readonly maxFailedCycles?: number;
}

/** A subscription to a plan. */
export interface Subscribed {
  readonly id: string;
  readonly plan: Plan;
}

export const COFFEE_CLUB: Plan = { offer: 'Coffee Club', price: '9.90', maxCycles: null };
