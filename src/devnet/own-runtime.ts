import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** How another Node process is started on a file beside this one. */
export interface Entry {
  /** Absolute path of the file. */
  file: string;
  /** Node's own arguments: the TypeScript loader where the file is TypeScript. */
  execArgv: string[];
}

/**
 * The file `name` (without extension) beside this one, with what Node needs to run it: nothing when this code was
 * compiled, tsx when it is TypeScript, whatever runs the present process (tsx itself, or tests with a transform of their own).
 */
export function entryBeside(name: string): Entry {
  const compiled = !import.meta.url.endsWith('.ts');
  const file = fileURLToPath(new URL(`./${name}${compiled ? '.js' : '.ts'}`, import.meta.url));
  if (compiled) return { file, execArgv: [] };
  const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx/esm')).href;
  return { file, execArgv: ['--import', loader] };
}
