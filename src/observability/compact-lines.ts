import type pc from 'picocolors';
import { z } from 'zod';

type Colors = ReturnType<typeof pc.createColors>;

const entrySchema = z.looseObject({
  level: z.string(),
  time: z.string(),
  msg: z.string().default(''),
  err: z.looseObject({ message: z.string(), stack: z.string().optional() }).optional(),
});

/**
 * The log for a person at a terminal: one short line for each entry, with its time, its level if it is not `info`, its
 * message, and its other fields as `name=value`. The stack of an error comes below it. Anything else than an entry is
 * passed on as it is.
 */
export function compactLines(output: { write(text: string): unknown }, colors: Colors): { write(line: string): void } {
  return { write: (line) => void output.write(compactLine(line, colors)) };
}

function compactLine(line: string, colors: Colors): string {
  const { data } = entrySchema.safeParse(parsed(line));
  if (data === undefined) return line;
  const { level, time, msg, err, ...fields } = data;
  const shown = Object.entries(fields).filter(([, value]) => value !== null);
  const parts = [
    colors.dim(time.slice('2026-01-01T'.length, -1)),
    ...(level === 'info' ? [] : [colorOf(level, colors)(level)]),
    err === undefined ? msg : `${msg}: ${err.message}`,
    ...(shown.length === 0 ? [] : [colors.dim(shown.map(([name, value]) => `${name}=${valueText(value)}`).join(' '))]),
  ];
  const stack = level === 'error' || level === 'fatal' ? (err?.stack ?? '') : '';
  return `${parts.join(' ')}\n${stack === '' ? '' : `${colors.dim(stack)}\n`}`;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function colorOf(level: string, colors: Colors): (text: string) => string {
  if (level === 'warn') return colors.yellow;
  return level === 'error' || level === 'fatal' ? colors.red : colors.dim;
}

function valueText(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}
