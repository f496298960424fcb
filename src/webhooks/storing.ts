import type { Log } from '../observability/log.ts';

/** Pauses after which an outcome that could not be stored is stored again, milliseconds; then the lease decides. */
const STORE_AGAIN_MS = [100, 400, 1_600, 6_400] as const;

/**
 * A receiver that has answered must not get the event again only because the database was away for a moment. Rejects as the
 * last of several tries did, or at once where nobody wants it any more.
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
      log.warn({ actor, err: error }, 'the outcome of a delivery is stored again');
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
  return store();
}
