import type { Plan } from '../subscription/plan.ts';

/** The yearly price of the same offer. */
export const YEARLY: Plan = { offer: 'Coffee Club', price: '99.00', maxCycles: null };
