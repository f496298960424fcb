import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/package/root.ts';

/** The path of a file or folder of the repository. */
export function pathOf(name: string): string {
  return join(packageRoot(), name);
}

/** The text of a file of the repository. */
export function read(name: string): string {
  return readFileSync(pathOf(name), 'utf8');
}

/** The files and folders in a folder of the repository and in those within it, such as `docs/adr/README.md`. */
export function namesIn(folder: string): string[] {
  const names = readdirSync(pathOf(folder), { recursive: true, encoding: 'utf8' });
  return names.map((name) => `${folder}/${name.replaceAll('\\', '/')}`);
}
