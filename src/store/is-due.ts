/**
 * Whether a moment that was set at most `mostMs` ahead has come. One that is further ahead was set before the clock was
 * set back, and counts as come.
 */
export function isDue(at: Date | number, now: Date | number, mostMs: number): boolean {
  const aheadMs = Number(at) - Number(now);
  return aheadMs <= 0 || aheadMs > mostMs;
}
