import type { Engine } from '../../engine/engine.ts';
import { notFound } from '../../errors/fault.ts';
import { isInFlight } from '../../model/subscription.ts';
import type { ActorDoc } from '../../store/documents.ts';

/** Resolves with the subscription when nothing is in flight and its journal is written, or as it is at the deadline. */
export async function atRest(engine: Engine, id: string, deadline: number): Promise<ActorDoc> {
  const doc = await outOfFlight(engine, id, deadline);
  await engine.completed(id);
  return doc;
}

/** As `atRest`, but does not wait for the effects of the ended attempt, which run before those of any later event. */
export async function outOfFlight(engine: Engine, id: string, deadline: number): Promise<ActorDoc> {
  const doc = await engine.when('subscription', id, (each) => !isInFlight(each), deadline);
  if (!doc) throw notFound();
  return doc;
}
