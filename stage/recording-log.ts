import { silentLog } from '../scripts/lib/silent-log.ts';
import type { Log } from '../src/observability/log.ts';

export interface LogLine {
  readonly level: keyof Log;
  readonly detail: object;
  readonly message: string;
}

export function recordingLog(): { readonly log: Log; readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const at = (level: keyof Log) => (detail: object, message: string) => void lines.push({ level, detail, message });
  return { log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }, lines };
}

/** A log that adds the message of every warning and error to `troubles`. */
export function troublesInto(troubles: string[]): Log {
  const note = (_detail: object, message: string): void => void troubles.push(message);
  return { ...silentLog, warn: note, error: note };
}
