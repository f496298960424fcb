import { z } from 'zod';
import type { Machines } from '../../machines/versions.ts';
import type { ActorKind } from '../store/documents.ts';
import type { RecordStore } from '../store/port.ts';
import type { Engine } from './engine.ts';
import { actorKind } from './journal.ts';

export interface UpcastSweepDeps {
  readonly engine: Pick<Engine, 'upcastNext' | 'writtenVersion'>;
  readonly records: RecordStore;
  readonly machines: Machines;
  readonly clock: () => Date;
}

/** Documents of a kind that are checked in one tick. */
const SWEPT_AT_ONCE = 250;

/**
 * A sweep that has come to its end begins anew so long after: a process of older code may have written meanwhile. An end that is
 * ahead of the clock, which was set back, is none.
 */
const REST_MS = 86_400_000;

const cursorSchema = z.object({
  /** The one that the sweep brings them to: for another one it begins anew. */
  version: z.int(),
  /** The last document that was checked; null: it has come to the end, at `at`. */
  after: z.string().nullable(),
  at: z.iso.datetime(),
  /** How many were left in an older version since it began. */
  left: z.int(),
});
type Cursor = z.infer<typeof cursorSchema>;

/**
 * One tick of bringing what rests to the present version: of each kind of which a version older than the written one is
 * registered, so many documents from where the last tick ended. Where there is none it costs nothing. Twice at once only repeats work.
 */
export async function sweepUpcasts(deps: UpcastSweepDeps, limit = SWEPT_AT_ONCE): Promise<void> {
  for (const kind of actorKind.options) {
    const version = deps.engine.writtenVersion(kind);
    if (deps.machines[kind].older.some((each) => each.version < version)) await sweep(deps, kind, version, limit);
  }
}

async function sweep({ engine, records, clock }: UpcastSweepDeps, kind: ActorKind, version: number, limit: number) {
  const now = clock();
  const cursor = await cursorOf(records, kind);
  const restedMs = cursor === null ? 0 : now.getTime() - Date.parse(cursor.at);
  const isOver = cursor?.after === null && restedMs >= 0 && restedMs < REST_MS;
  if (cursor?.version === version && isOver) return;
  const isUnderWay = cursor?.version === version && cursor.after !== null;
  const { last, left } = await engine.upcastNext(kind, isUnderWay ? (cursor.after ?? '') : '', limit);
  const next: Cursor = { version, after: last, at: now.toISOString(), left: (isUnderWay ? cursor.left : 0) + left };
  const value = JSON.stringify(next);
  await records.upsert('settings', idOf(kind), { value }, { set: { value } });
}

async function cursorOf(records: RecordStore, kind: ActorKind): Promise<Cursor | null> {
  const [stored] = await records.get('settings', [idOf(kind)]);
  return stored === undefined ? null : cursorSchema.parse(JSON.parse(stored.value));
}

function idOf(kind: ActorKind): string {
  return `upcasts:${kind}`;
}
