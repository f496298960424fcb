import { DevnetError } from '../src/service/devnet-error.ts';

/**
 * What `promise` gives, if it does so in time.
 *
 * @throws DevnetError with the text of `late` after `limitMs`; else whatever `promise` throws
 */
export async function within<T>(promise: Promise<T>, limitMs: number, late: () => string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DevnetError(late())), limitMs);
  });
  try {
    return await Promise.race([promise, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
