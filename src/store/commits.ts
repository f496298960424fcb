import type { ActorDoc } from './documents.ts';
import type { Commit } from './port.ts';

/**
 * Only the fields that a commit may set. A larger object, such as a whole document, would bring back effects that the
 * relay has removed from the outbox.
 */
export function fieldsOf({ set }: Commit): Commit['set'] {
  return {
    rev: set.rev,
    machineVersion: set.machineVersion,
    value: set.value,
    context: set.context,
    status: set.status,
    wakeAt: set.wakeAt,
    clockOffsetMs: set.clockOffsetMs,
    eventSeq: set.eventSeq,
    updatedAt: set.updatedAt,
  };
}

/** The outbox after a commit that clears it: only the commit's own effects. */
export function outboxAfter({ effects, relayAt }: Commit): Pick<ActorDoc, 'outbox' | 'relayAt' | 'relayFailures'> {
  return { outbox: effects, relayAt: effects.length > 0 ? relayAt : null, relayFailures: 0 };
}
