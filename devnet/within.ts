import { DevnetError } from '../src/service/devnet-error.ts';

/**
 * The result of `promise` if it settles in time.
 *
 * @throws DevnetError with the text of `late` after `limitMs`; otherwise the error of `promise`
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
