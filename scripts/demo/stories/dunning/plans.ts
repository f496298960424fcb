import type { Plan } from '../subscription/plan.ts';

export const COFFEE_CLUB: Plan = { offer: 'Coffee Club', price: '9.90', maxCycles: null };

export const TEA_CLUB: Plan = { offer: 'Tea Club', price: '12.00', maxCycles: null };

export const NEWSPAPER = { offer: 'Newspaper', price: '24.00', maxCycles: null, maxFailedCycles: 2 } satisfies Plan;
