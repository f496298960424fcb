/** The day after which a major version of Node gets no security fixes: https://github.com/nodejs/release */
const LAST_FIXES: ReadonlyMap<number, string> = new Map([
  [20, '2026-04-30'],
  [21, '2024-06-01'],
  [22, '2027-04-30'],
  [23, '2025-06-01'],
  [24, '2028-04-30'],
  [25, '2026-06-01'],
]);

/** The version to move to. The image has it. */
const PREFERRED = 24;

/**
 * What to tell an operator whose Node gets no fixes any more; otherwise null. `version` is that of `process.version`. A
 * version that this code does not know is newer than the code, and gets fixes.
 */
export function endOfLifeNotice(version: string, today: Date): string | null {
  const major = Number.parseInt(version.replace('v', ''), 10);
  const last = LAST_FIXES.get(major);
  if (last === undefined || today.toISOString().slice(0, 10) <= last) return null;
  return `Node ${major} has had no security fixes since ${last}. Tideline still runs on it; move to Node ${PREFERRED}.`;
}
