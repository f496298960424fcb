/** More attempts within the window, all begun by the service itself, are not made (docs/rules.md, "Staff": Breaker). */
export const BREAKER_ATTEMPTS = 10;

const WINDOW_MS = 3_600_000;

/** The moments with one more, the oldest beyond what the breaker needs forgotten. */
export function noted(begun: readonly string[], now: string): string[] {
  return [...begun, now].slice(-BREAKER_ATTEMPTS);
}

/** Whether one more attempt at `now` would be one too many. */
export function wouldTrip(begun: readonly string[], now: string): boolean {
  const [oldest] = begun;
  return begun.length >= BREAKER_ATTEMPTS && oldest !== undefined && Date.parse(now) - Date.parse(oldest) < WINDOW_MS;
}
