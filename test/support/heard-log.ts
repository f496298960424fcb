import { silentLog } from '../../scripts/lib/silent-log.ts';
import type { Log } from '../../src/observability/log.ts';

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

/** A log that adds the message of every warning and error to `troubles`. */
export function troublesInto(troubles: string[]): Log {
  const note = (_detail: object, message: string): void => void troubles.push(message);
  return { ...silentLog, warn: note, error: note };
}
