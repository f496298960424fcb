import { type EventOf, MACHINES } from '../../machines/versions.ts';
import { actorTime } from '../engine/projection.ts';
import { type StoredState, step } from '../engine/step.ts';
import { type Versioned, versionOf } from '../engine/upcast.ts';
import type { ActorDoc } from '../store/documents.ts';

type ActorSnapshot = Versioned & StoredState & Pick<ActorDoc, 'quarantine' | 'clockOffsetMs'>;

/**
 * Whether an actor's machine would accept this event at `now`, asked before anything is read or reserved for it. Not a
 * decision: the engine checks again when the event is sent.
 */
export function wouldTake(doc: ActorSnapshot, event: EventOf<'subscription' | 'payment'>, now: Date): boolean {
  if (doc.quarantine !== null) return false;
  const version = versionOf(MACHINES, doc);
  const reported = version.event.safeParse({ ...event, now: actorTime(now, doc.clockOffsetMs) });
  return reported.success && step(version, doc, reported.data, null, false).taken === true;
}
