import { isRecord } from './json.ts';

/**
 * The `code` of a system error (`ENOENT`, …), else `undefined`. Not by `instanceof Error`, whose class has no `code`.
 */
export function codeOf(error: unknown): string | undefined {
  return isRecord(error) && typeof error['code'] === 'string' ? error['code'] : undefined;
}
