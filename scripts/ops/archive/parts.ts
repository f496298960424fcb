import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import { isMap } from '../../../machines/json.ts';
import type { ArchivedRows } from '../../../src/engine/archive.ts';
import type { EventDoc, UsageDoc } from '../../../src/store/collections.ts';
import type { LogRow } from '../../../src/store/documents.ts';
import { typed } from '../../../src/store/typed.ts';
import { ScriptError } from '../../lib/script.ts';
import type { Disk } from './disk.ts';

/** One line of a part: rows of an actor, a row of usage, or an event with its delivery. */
export type Line = { readonly rows: ArchivedRows } | { readonly usage: UsageDoc } | { readonly event: EventDoc };

const manifestSchema = z.strictObject({
  id: z.string(),
  before: z.iso.datetime(),
  /** `written`: its documents may still be in the database. */
  parts: z.array(
    z.strictObject({ file: z.string(), sha256: z.string(), lines: z.int(), state: z.enum(['written', 'removed']) }),
  ),
});
export type Manifest = z.infer<typeof manifestSchema>;
export type Part = Manifest['parts'][number];

const MANIFEST = 'manifest.json';

/** null: the folder has no archive. */
export async function readManifest(disk: Disk): Promise<Manifest | null> {
  const bytes = await disk.read(MANIFEST);
  return bytes === null ? null : manifestSchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
}

export async function writeManifest(disk: Disk, manifest: Manifest): Promise<void> {
  await disk.write(MANIFEST, Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`));
}

/** Stores lines as a file, and reads it back. Throws a ScriptError if the file does not have them. */
export async function writePart(disk: Disk, file: string, lines: readonly Line[]): Promise<Part> {
  const text = lines.map((line) => `${JSON.stringify(line, dated)}\n`).join('');
  const part: Part = { file, sha256: sha256(text), lines: lines.length, state: 'written' };
  await disk.write(file, gzipSync(text));
  await readPart(disk, part);
  return part;
}

/** The lines of a part. Throws a ScriptError if they are not those that were written. */
export async function readPart(disk: Disk, { file, sha256: expected, lines }: Part): Promise<Line[]> {
  const bytes = await disk.read(file);
  const text = bytes === null ? null : unzipped(bytes);
  if (text === null || sha256(text) !== expected)
    throw new ScriptError(`${file} is damaged or missing: expected ${lines} lines with the SHA-256 ${expected}`);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => lineOf(JSON.parse(line, undated)));
}

const doc = z.looseObject({});
const lineSchema = z.union([
  z.strictObject({ event: doc }),
  z.strictObject({ usage: doc }),
  z.strictObject({ rows: z.strictObject({ actorId: z.string(), rows: z.array(doc), base: doc }) }),
]);

/** The hash has shown that these are the documents that were written. */
function lineOf(value: unknown): Line {
  const line = lineSchema.parse(value);
  if ('event' in line) return { event: typed<EventDoc>(line.event) };
  if ('usage' in line) return { usage: typed<UsageDoc>(line.usage) };
  const { actorId, rows, base } = line.rows;
  return { rows: { actorId, rows: rows.map((row) => typed<LogRow>(row)), base: typed<LogRow>(base) } };
}

function unzipped(bytes: Uint8Array): string | null {
  try {
    return gunzipSync(bytes).toString('utf8');
  } catch {
    return null;
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

const DATE = '$date';

/**
 * Dates are the only stored values that JSON does not have. `value` of a date is already its text. A merchant's key
 * that begins with `$` gets another one, so that no text of a merchant is taken for a date.
 */
function dated(this: unknown, key: string, value: unknown): unknown {
  const stored: unknown = Reflect.get(Object(this), key);
  if (stored instanceof Date) return { [DATE]: value };
  return isMap(value) ? renamed(value, (name) => (name.startsWith('$') ? `$${name}` : name)) : value;
}

function undated(_key: string, value: unknown): unknown {
  if (!isMap(value)) return value;
  const date: unknown = Reflect.get(value, DATE);
  if (typeof date === 'string') return new Date(date);
  return renamed(value, (name) => (name.startsWith('$$') ? name.slice(1) : name));
}

/** The same object if no name changes. */
function renamed(value: object, rename: (name: string) => string): object {
  const names = Object.keys(value);
  if (names.every((name) => rename(name) === name)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [rename(name), each]));
}
