import type { Log } from '../observability/log.ts';

/** Pauses before the next try to store an outcome, in milliseconds. After the last one the lease decides. */
const STORE_AGAIN_MS = [100, 400, 1_600, 6_400] as const;

/**
 * Stores an outcome, and tries again when that fails: a short outage of the database must not send an event a second
 * time. Rejects with the error of the last try, or at once if `isWanted` returns false.
 */
export async function storing<T>(
  { log, isWanted = () => true }: { readonly log: Log; readonly isWanted?: () => boolean },
  actor: string,
  store: () => Promise<T>,
): Promise<T> {
  for (const pauseMs of STORE_AGAIN_MS) {
    try {
      return await store();
    } catch (error) {
      if (!isWanted()) throw error;
      log.warn({ actor, err: error }, 'the outcome of a delivery could not be stored; trying again');
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
  return store();
}
