import type { Machines } from '../../machines/versions.ts';
import type { ActorDoc, ActorKind } from '../store/documents.ts';
import type { Store } from '../store/port.ts';
import type { Dispatched } from './types.ts';
import { isKnown } from './upcast.ts';

/** The result of one pass over documents. */
export interface UpcastPass {
  /** The id of the last checked document; null: no more documents. */
  readonly last: string | null;
  /** The number of documents that were upcast to the written version. */
  readonly upcast: number;
  /** The number of documents that stay older: in quarantine, of an unknown version, or the write failed. */
  readonly left: number;
}

export interface UpcastPassDeps {
  readonly store: Pick<Store, 'actors'>;
  readonly machines: Machines;
  readonly kind: ActorKind;
  /** The written version. */
  readonly version: number;
  /** Results in order; null: the upcast failed. */
  readonly upcast: (docs: readonly ActorDoc[]) => readonly Promise<Dispatched | null>[];
}

/** Checks up to `limit` documents after the id `after`, in the order of their ids, and upcasts older ones. */
export async function upcastPass(deps: UpcastPassDeps, after: string, limit: number): Promise<UpcastPass> {
  const { store, machines, kind, version, upcast } = deps;
  const docs = await store.actors.find(kind, { where: { _id: { gt: after } }, sort: [['_id', 1]], limit });
  const older = docs.filter(({ machineVersion }) => machineVersion < version);
  const mine = older.filter((doc) => doc.quarantine === null && isKnown(machines, doc));
  const results = await Promise.all(upcast(mine));
  const done = results.filter((result) => result?.kind === 'taken').length;
  const last = docs.length < limit ? null : (docs.at(-1)?._id ?? null);
  return { last, upcast: done, left: older.length - done };
}
