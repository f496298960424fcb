/** A monthly plan in the shop's only token. */
export interface Plan {
  readonly offer: string;
  /** Decimal, in units of the token. */
  readonly price: string;
  /** null: it is charged until somebody cancels. */
  readonly maxCycles: number | null;
  /** Missing: only the days of grace limit failures. */
  readonly maxFailedCycles?: number;
}

/** A subscription to a plan. */
export interface Subscribed {
  readonly id: string;
  readonly plan: Plan;
  /** The payer's name; absent: Ada. */
  readonly name?: string;
}

export const COFFEE_CLUB: Plan = { offer: 'Coffee Club', price: '9.90', maxCycles: null };
