import { addDays } from './period.ts';

/**
 * Days before a charge on which the service checks whether it could be paid (docs/rules.md, "Subscriptions": At risk).
 */
export const RISK_DAYS = [7, 3, 1] as const;

/**
 * The first check after `now` for the charge at `chargeAt`; null: none is left. `since` is the start of the period that
 * the charge ends. A check is later than `since`, so a daily charge has none.
 */
export function nextRiskCheck(since: string, chargeAt: string, now: string): string | null {
  const after = since > now ? since : now;
  return RISK_DAYS.map((days) => addDays(chargeAt, -days)).find((at) => at > after) ?? null;
}
