import type { Machines } from '../../machines/versions.ts';
import type { ActorDoc, ActorKind } from '../store/documents.ts';
import type { Store } from '../store/port.ts';
import type { Dispatched } from './types.ts';
import { isKnown } from './upcast.ts';

/** What one pass over documents has come to. */
export interface UpcastPass {
  /** The last document that was checked; null: there are no more. */
  readonly last: string | null;
  /** How many were brought to the version that is written. */
  readonly upcast: number;
  /** How many are older all the same: quarantined, of a version that is not known here, or not to be written. */
  readonly left: number;
}

export interface UpcastPassDeps {
  readonly store: Pick<Store, 'actors'>;
  readonly machines: Machines;
  readonly kind: ActorKind;
  /** The one that is written. */
  readonly version: number;
  /** Null: it could not be. */
  readonly upcast: (docs: readonly ActorDoc[]) => readonly Promise<Dispatched | null>[];
}

/** Checks up to `limit` documents behind `after`, in the order of their ids, and upcasts those of an older version. */
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
