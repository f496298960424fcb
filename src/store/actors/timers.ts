import type { ActorDoc, TimerDoc } from '../documents.ts';

/**
 * A timer or an entry of the outbox that is stored, and whose commit is not, may belong to a write under way for this
 * long, in milliseconds. A write is given up after some seconds.
 */
export const UNDER_WAY_MS = 3_600_000;

type Waking = Pick<ActorDoc, '_id' | 'wakeAt' | 'wakeRev'>;

/** The id of the timer of an actor's wake; null: it wants none. Each commit that changes the wake has another id. */
export function timerId({ _id, wakeAt, wakeRev }: Waking): string | null {
  return wakeAt === null ? null : `${_id}:${wakeRev}:${wakeAt.getTime()}`;
}

/** The timer of an actor's wake; null: it wants none. */
export function timerOf(doc: ActorDoc, createdAt: Date): TimerDoc | null {
  const { _id: actorId, kind, wakeAt, wakeRev: rev, partition, machineVersion: version } = doc;
  const _id = timerId(doc);
  if (_id === null || wakeAt === null) return null;
  return { _id, kind, actorId, rev, partition, version, at: wakeAt, createdAt };
}

/** True if no commit can need the timer any more. `doc` is as read after the timer. */
export function isLeftOver(timer: TimerDoc, doc: ActorDoc | undefined, now: Date): boolean {
  if (doc !== undefined && timer.rev <= doc.rev) return doc.quarantine !== null || timerId(doc) !== timer._id;
  return now.getTime() - timer.createdAt.getTime() > UNDER_WAY_MS;
}
