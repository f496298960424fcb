import type { EventDoc } from '../store/collections.ts';

/**
 * The exact bytes that are signed and sent, the same for every attempt: the envelope of the reference (section 6:
 * Delivery) and `sequence`, which counts the events of one resource (docs/rules.md, "Webhooks").
 */
export function envelopeOf(event: EventDoc): Buffer {
  return Buffer.from(
    JSON.stringify({
      id: event._id,
      event: event.event,
      createdAt: event.createdAt.toISOString(),
      isSandbox: event.mode === 'test',
      data: event.data,
      sequence: event.sequence,
    }),
  );
}
