import { rm } from 'node:fs/promises';
import { BUILD_FOLDER } from '../../scripts/lib/build.ts';

/** After the last test: deletes the folder of `compile-once.ts`. */
async function deleteCompiled(): Promise<void> {
  const folder = process.env[BUILD_FOLDER];
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
}

// biome-ignore lint/style/noDefaultExport: Jest asks for one.
export default deleteCompiled;
