import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';

/** A folder of an archive. */
export interface Disk {
  /** Stores a file: it is whole and durable when this resolves, or not there. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  /** null: there is no such file. */
  read(name: string): Promise<Uint8Array | null>;
}

/** Opens a folder, which is made if it does not exist. */
export async function openFolder(folder: string): Promise<Disk> {
  await mkdir(folder, { recursive: true });
  return {
    write: async (name, bytes) => {
      const path = join(folder, name);
      await synced(`${path}.part`, 'w', (file) => file.writeFile(bytes));
      await rename(`${path}.part`, path);
      await synced(folder, 'r');
    },
    read: async (name) => {
      try {
        return await readFile(join(folder, name));
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
        throw error;
      }
    },
  };
}

type File = Awaited<ReturnType<typeof open>>;

async function synced(path: string, flags: string, use: (file: File) => Promise<void> = async () => {}): Promise<void> {
  const file = await open(path, flags);
  try {
    await use(file);
    await file.sync();
  } finally {
    await file.close();
  }
}
