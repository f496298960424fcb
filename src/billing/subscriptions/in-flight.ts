import { MACHINES } from '../../../machines/versions.ts';
import type { Engine } from '../../engine/engine.ts';
import { hasTag, type StoredState } from '../../engine/step.ts';
import { type Versioned, versionOf } from '../../engine/upcast.ts';
import { notFound } from '../../errors/fault.ts';
import type { ActorDoc } from '../../store/documents.ts';

/**
 * True while an attempt of the subscription is under way, or a started one is followed to its end. Throws an UnknownVersion,
 * and an Error for a state that the machine does not have.
 */
export function isInFlight(doc: Versioned & StoredState): boolean {
  return hasTag(versionOf(MACHINES, doc), doc, 'inFlight');
}

/** Resolves with the subscription when nothing is in flight and its journal is written, or as it is at the deadline. */
export async function atRest(engine: Engine, id: string, deadline: Date): Promise<ActorDoc> {
  const doc = await outOfFlight(engine, id, deadline);
  await engine.completed(id);
  return doc;
}

/** As `atRest`, but does not wait for the effects of the ended attempt, which run before those of any later event. */
export async function outOfFlight(engine: Engine, id: string, deadline: Date): Promise<ActorDoc> {
  const doc = await engine.when('subscription', id, (each) => !isInFlight(each), deadline);
  if (!doc) throw notFound();
  return doc;
}
