import { rm } from 'node:fs/promises';

/** Removes a folder with its content, even while a process that is ending still writes into it. */
export function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
