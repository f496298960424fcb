import type { ActorDoc } from './documents.ts';
import type { Commit } from './port.ts';

/**
 * The fields that a commit sets, and no others: an object with more on it (a whole document, say) must not write over what
 * the relay took out of the outbox.
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

/** What the outbox is after a commit that clears it: the effects of the commit alone. */
export function outboxAfter({ effects, relayAt }: Commit): Pick<ActorDoc, 'outbox' | 'relayAt' | 'relayFailures'> {
  return { outbox: effects, relayAt: effects.length > 0 ? relayAt : null, relayFailures: 0 };
}
