import { addDays } from './period.ts';

/** Days before a charge on which the service checks whether it could be paid (docs/rules.md, "Subscriptions": At risk). */
const RISK_DAYS = [7, 3, 1] as const;

/**
 * The first take care of `now` at what is to pay the charge of `chargeAt`; null: none is left. `since` is when the time that
 * it ends began: a check lies within it, so that what is charged every day has none.
 */
export function nextRiskCheck(since: string, chargeAt: string, now: string): string | null {
  const after = since > now ? since : now;
  return RISK_DAYS.map((days) => addDays(chargeAt, -days)).find((at) => at > after) ?? null;
}
