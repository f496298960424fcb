import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** The version of this package: what a supervisor is asked whether it is of. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(manifestUrl(), 'utf8'));
  return z.object({ version: z.string() }).parse(manifest).version;
}

/** One folder up from the sources, two from what is built of them. */
function manifestUrl(): URL {
  const isBuilt = import.meta.url.endsWith('.js');
  return new URL(isBuilt ? '../../package.json' : '../package.json', import.meta.url);
}
