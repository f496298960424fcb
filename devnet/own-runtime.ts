import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isBuilt, packageRoot } from '../src/package/root.ts';

/** How another Node process is started on a file of this folder. */
export interface Entry {
  /** Absolute path of the file. */
  file: string;
  /** Node's own arguments: the TypeScript loader where the file is TypeScript. */
  execArgv: string[];
}

/**
 * The file `name` (without extension) of this folder, with what Node needs to run it: nothing when this code was
 * compiled, tsx when it is TypeScript, whatever runs the present process (tsx itself, or tests with a transform of their own).
 */
export function entryBeside(name: string): Entry {
  const root = packageRoot();
  if (isBuilt) return { file: join(root, 'dist/devnet', `${name}.js`), execArgv: [] };
  const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx/esm')).href;
  return { file: join(root, 'devnet', `${name}.ts`), execArgv: ['--import', loader] };
}
