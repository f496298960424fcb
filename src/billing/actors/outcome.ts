/**
 * How long a request waits for an outcome before it answers with the present state (docs/rules.md, "Payments": POST).
 */
const OUTCOME_WAIT_MS = 25_000;

/** The time until which a request that begins now waits for an outcome. */
export function outcomeDeadline(clock: () => Date): Date {
  return new Date(clock().getTime() + OUTCOME_WAIT_MS);
}
