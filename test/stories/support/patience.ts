import { setTimeout as delay } from 'node:timers/promises';

const PATIENCE_MS = 60_000;
const POLL_MS = 20;

/**
 * Asks until the answer is as it has to be, and resolves with it. Nobody outside hears of what a process does but by asking
 * it. After a minute it resolves with what was answered last, for the caller to say what is wrong with it.
 */
export async function patiently<T>(ask: () => Promise<T>, isSo: (answer: T) => boolean): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const answer = await ask();
    if (isSo(answer) || performance.now() > deadline) return answer;
    await delay(POLL_MS);
  }
}
