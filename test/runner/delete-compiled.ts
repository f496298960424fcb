import { rm } from 'node:fs/promises';
import { BUILD_FOLDER } from '../../scripts/lib/build.ts';

/** After the last test: deletes the folder that `compile-once.ts` has made. */
async function deleteCompiled(): Promise<void> {
  const folder = process.env[BUILD_FOLDER];
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
}

// biome-ignore lint/style/noDefaultExport: Jest asks for one.
export default deleteCompiled;
