/** How long a request waits for an outcome before it answers with what is known (docs/rules.md, "Payments": POST). */
const OUTCOME_WAIT_MS = 25_000;

/** Until when a request that is let in now waits for an outcome. */
export function outcomeDeadline(clock: () => Date): Date {
  return new Date(clock().getTime() + OUTCOME_WAIT_MS);
}
