import { isRecord } from './json.ts';

/**
 * The `code` of a system error (`ENOENT`, …), otherwise `undefined`. Not by `instanceof Error`, because that class has
 * no `code`.
 */
export function codeOf(error: unknown): string | undefined {
  return isRecord(error) && typeof error['code'] === 'string' ? error['code'] : undefined;
}
