import type { Plan } from '../subscription/plan.ts';

/** The other price of the same offer: by the year. */
export const YEARLY: Plan = { offer: 'Coffee Club', price: '99.00', maxCycles: null };
