import type { Log } from '../../src/log.ts';

export interface HeardLine {
  readonly level: keyof Log;
  readonly detail: object;
  readonly message: string;
}

/** A log, and the lines that it has been given. */
export function heardLog(): { readonly log: Log; readonly heard: HeardLine[] } {
  const heard: HeardLine[] = [];
  const at = (level: keyof Log) => (detail: object, message: string) => void heard.push({ level, detail, message });
  return { log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }, heard };
}
