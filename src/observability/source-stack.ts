import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../package/root.ts';

const maps = new Map<string, SourceMap | null>();

/**
 * The stack trace with the positions in the sources, from the root of the repository, where code of a bundle with a
 * source map runs. Node's `--enable-source-maps` would read all maps at the start, which makes it a tenth longer.
 */
export function sourceStack(stack: string): string {
  return stack.replaceAll(/(file:[^\s()]+\.js):(\d+):(\d+)/g, (position, url: string, line: string, column: string) => {
    const file = fileURLToPath(url);
    const origin = mapOf(file)?.findOrigin(Number(line), Number(column));
    if (origin === undefined || !('fileName' in origin)) return position;
    const source = relative(packageRoot(), join(dirname(file), origin.fileName));
    return `${source}:${origin.lineNumber}:${origin.columnNumber}`;
  });
}

function mapOf(file: string): SourceMap | null {
  const known = maps.get(file);
  if (known !== undefined) return known;
  const map = existsSync(`${file}.map`) ? new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8'))) : null;
  maps.set(file, map);
  return map;
}

/** Lets Node print the same when an uncaught error ends the process. */
export function nameSourcesOfUncaught(): void {
  process.on('uncaughtExceptionMonitor', (error) => {
    if (error instanceof Error && error.stack !== undefined) error.stack = sourceStack(error.stack);
  });
}
