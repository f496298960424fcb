import type { BillingInterval, PricingOptionInput } from '../merchant-api.ts';

/** A price as it is typed. */
export interface PriceDraft {
  readonly label: string;
  readonly amount: string;
  readonly currency: string;
  readonly type: 'recurring' | 'one_time';
  readonly interval: BillingInterval;
  readonly intervalCount: string;
  readonly acceptedTokens: readonly string[];
  readonly trialDays: string;
  readonly maxCycles: string;
}

export const NEW_PRICE: PriceDraft = {
  label: '',
  amount: '',
  currency: 'USD',
  type: 'recurring',
  interval: 'month',
  intervalCount: '1',
  acceptedTokens: [],
  trialDays: '',
  maxCycles: '',
};

/** The price as the API takes it, which checks it. Throws if a whole number is none. */
export function pricingInput(draft: PriceDraft): PricingOptionInput {
  const { type, interval, acceptedTokens } = draft;
  const common = {
    label: textOrNull(draft.label),
    amount: draft.amount.trim(),
    currency: draft.currency,
    acceptedTokens: [...acceptedTokens],
  };
  if (type === 'one_time') return { ...common, billing: { type } };
  return {
    ...common,
    billing: { type, interval, intervalCount: wholeOrNull('Every', draft.intervalCount) },
    trialDays: wholeOrNull('Trial days', draft.trialDays),
    maxCycles: wholeOrNull('Most payments', draft.maxCycles),
  };
}

/** An empty field means none. */
export function textOrNull(text: string): string | null {
  return text.trim() === '' ? null : text.trim();
}

/** Throws if the text is not a whole number; null if it is empty. */
export function wholeOrNull(label: string, text: string): number | null {
  const typed = text.trim();
  if (typed === '') return null;
  if (!/^\d{1,9}$/.test(typed)) throw new Error(`${label}: enter a whole number`);
  return Number(typed);
}
