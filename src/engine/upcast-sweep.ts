import { z } from 'zod';
import type { Machines } from '../../machines/versions.ts';
import type { Log } from '../observability/log.ts';
import type { ActorDoc, ActorKind } from '../store/documents.ts';
import type { RecordStore, Store } from '../store/port.ts';
import type { Engine } from './engine.ts';
import { actorKind } from './journal.ts';
import { isKnown, UPCAST } from './upcast.ts';

export interface UpcastSweepDeps {
  readonly engine: Pick<Engine, 'dispatch' | 'writtenVersion'>;
  readonly store: Pick<Store, 'actors' | 'records'>;
  readonly machines: Machines;
  readonly clock: () => Date;
  readonly log: Log;
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

async function sweep(deps: UpcastSweepDeps, kind: ActorKind, version: number, limit: number) {
  const { records } = deps.store;
  const now = deps.clock();
  const cursor = await cursorOf(records, kind);
  const restedMs = cursor === null ? 0 : now.getTime() - Date.parse(cursor.at);
  const isOver = cursor?.after === null && restedMs >= 0 && restedMs < REST_MS;
  if (cursor?.version === version && isOver) return;
  const isUnderWay = cursor?.version === version && cursor.after !== null;
  const after = isUnderWay ? (cursor.after ?? '') : '';
  const docs = await deps.store.actors.find(kind, { where: { _id: { gt: after } }, sort: [['_id', 1]], limit });
  const left = await upcastOlder(deps, docs, version);
  const last = docs.length < limit ? null : (docs.at(-1)?._id ?? null);
  const next: Cursor = { version, after: last, at: now.toISOString(), left: (isUnderWay ? cursor.left : 0) + left };
  const value = JSON.stringify(next);
  await records.upsert('settings', idOf(kind), { value }, { set: { value } });
}

/**
 * Upcasts the documents that are older than the written version: a document that takes no more events would otherwise
 * keep its version for ever. As at any event, an unsound snapshot is quarantined. Resolves with the number of documents
 * that stay older: in quarantine, of an unknown version, or the write failed.
 */
async function upcastOlder({ engine, machines, log }: UpcastSweepDeps, docs: readonly ActorDoc[], version: number) {
  const older = docs.filter(({ machineVersion }) => machineVersion < version);
  const mine = older.filter((doc) => doc.quarantine === null && isKnown(machines, doc));
  const results = await Promise.all(
    mine.map(({ _id: id, kind }) =>
      engine.dispatch({ kind, id, event: { type: UPCAST }, by: 'engine' }).catch((error: unknown) => {
        log.warn({ err: error, actor: id }, 'a document keeps its older version; the next sweep tries again');
        return null;
      }),
    ),
  );
  return older.length - results.filter((result) => result?.kind === 'taken').length;
}

async function cursorOf(records: RecordStore, kind: ActorKind): Promise<Cursor | null> {
  const [stored] = await records.get('settings', [idOf(kind)]);
  return stored === undefined ? null : cursorSchema.parse(JSON.parse(stored.value));
}

function idOf(kind: ActorKind): string {
  return `upcasts:${kind}`;
}
