import type { Json } from '../../../machines/json.ts';
import type { Engine } from '../../engine/engine.ts';
import { notFound } from '../../errors/fault.ts';
import type { ActorDoc } from '../../store/documents.ts';

/** True while an attempt of the subscription is under way, or a started one is followed to its end. */
export function isInFlight({ value }: ActorDoc): boolean {
  const inner = innermost(value);
  return inner === 'charging' || inner === 'closing';
}

function innermost(value: Json): string | null {
  if (typeof value === 'string') return value;
  const [inner] = value !== null && typeof value === 'object' ? Object.values(value) : [];
  return typeof inner === 'string' ? inner : null;
}

/** Resolves with the subscription when nothing is in flight and its journal is written, or as it is at the deadline. */
export async function atRest(engine: Engine, id: string, deadline: Date): Promise<ActorDoc> {
  const doc = await outOfFlight(engine, id, deadline);
  await engine.settled(id);
  return doc;
}

/** As `atRest`, but does not wait for the effects of the ended attempt, which run before those of any later event. */
export async function outOfFlight(engine: Engine, id: string, deadline: Date): Promise<ActorDoc> {
  const doc = await engine.when('subscription', id, (each) => !isInFlight(each), deadline);
  if (!doc) throw notFound();
  return doc;
}
