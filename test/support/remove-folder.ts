import { rm } from 'node:fs/promises';

/** Removes a folder with all that is in it, also one into which a process that is just ending still writes. */
export function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
