import { isRecord } from './json.ts';

/**
 * What keeps the local devnets from starting, in words for the person who started the service: what was wrong, what was
 * expected, where. The service prints the message and exits with 1.
 */
export class DevnetError extends Error {
  override name = 'DevnetError';
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return isRecord(error) && typeof error['message'] === 'string' ? error['message'] : String(error);
}

/**
 * The `code` of a system error (`ENOENT`, …), else `undefined`. Not by `instanceof Error`, whose class has no `code`.
 */
export function codeOf(error: unknown): string | undefined {
  return isRecord(error) && typeof error['code'] === 'string' ? error['code'] : undefined;
}
