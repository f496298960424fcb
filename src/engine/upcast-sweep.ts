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

/** Documents per kind and tick. */
const SWEPT_AT_ONCE = 250;

/**
 * A finished sweep begins again after this pause, because a process of older code may have written meanwhile. If the
 * clock was set back and the end is in the future, the sweep begins again at once.
 */
const REST_MS = 86_400_000;

const cursorSchema = z.object({
  /** The sweep's target version. A new target begins a new sweep. */
  version: z.int(),
  /** The id of the last checked document; null: the sweep ended at `at`. */
  after: z.string().nullable(),
  at: z.iso.datetime(),
  /** The number of documents that this sweep left in an older version. */
  left: z.int(),
});
type Cursor = z.infer<typeof cursorSchema>;

/**
 * One tick of the upcast of resting documents: for each kind with a registered version older than the written one, up
 * to `limit` documents from where the last tick ended. Costs nothing for other kinds. Two ticks at once only repeat
 * work.
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
