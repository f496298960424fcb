import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { codeFile, isBuilt } from '../src/package/root.ts';

/** The parameters of another Node process that runs a file of this folder. */
export interface Entry {
  /** The absolute path of the file. */
  file: string;
  /** Node's own arguments: the TypeScript loader if the file is TypeScript. */
  execArgv: string[];
}

/**
 * The file `name` (without extension) of this folder, with Node's arguments for it: none for compiled code, tsx for
 * TypeScript, whatever runs this process (tsx itself, or tests with their own transform).
 */
export function entryBeside(name: string): Entry {
  const file = codeFile(`devnet/${name}`);
  if (isBuilt) return { file, execArgv: [] };
  const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx/esm')).href;
  return { file, execArgv: ['--import', loader] };
}
