import { setTimeout as delay } from 'node:timers/promises';

const PATIENCE_MS = 45_000;
const POLL_MS = 20;

/** Resolves when `isSo` says yes. Throws with `why()` when it has not after 45 s. */
export async function until(isSo: () => Promise<boolean>, why: () => string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`Waited in vain: ${why()}`);
    await delay(POLL_MS);
  }
}
