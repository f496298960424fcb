import { type EventOf, MACHINES } from '../../../machines/versions.ts';
import { actorTime } from '../../engine/projection.ts';
import { step } from '../../engine/step.ts';
import { versionOf } from '../../engine/upcast.ts';
import type { ActorDoc } from '../../store/documents.ts';

/**
 * Whether an actor's machine would take this event at `now`, asked before something is found or held for it. It
 * decides nothing: the event goes through the engine all the same, which asks again.
 */
export function wouldTake(doc: ActorDoc, event: EventOf<'subscription' | 'payment'>, now: Date): boolean {
  if (doc.quarantine !== null) return false;
  const version = versionOf(MACHINES, doc);
  const reported = version.event.safeParse({ ...event, now: actorTime(now, doc.clockOffsetMs) });
  return reported.success && step(version, doc, reported.data, null).taken === true;
}
