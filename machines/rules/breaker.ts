/** The service itself begins at most this many attempts within the window (docs/rules.md, "Staff": Breaker). */
export const BREAKER_ATTEMPTS = 10;

const WINDOW_MS = 3_600_000;

/** Adds `now`, and drops the oldest moments that the breaker does not need. */
export function noted(begun: readonly string[], now: string): string[] {
  return [...begun, now].slice(-BREAKER_ATTEMPTS);
}

/** Whether an attempt at `now` would exceed the limit. */
export function wouldTrip(begun: readonly string[], now: string): boolean {
  const [oldest] = begun;
  return begun.length >= BREAKER_ATTEMPTS && oldest !== undefined && Date.parse(now) - Date.parse(oldest) < WINDOW_MS;
}
