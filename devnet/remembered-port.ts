import { readFile } from 'node:fs/promises';
import { codeOf } from './code-of.ts';

/** The port that a part had last, from the file in which it keeps it; `undefined`: it never had one. */
export async function rememberedPort(file: string): Promise<number | undefined> {
  try {
    const port = Number(await readFile(file, 'utf8'));
    return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
