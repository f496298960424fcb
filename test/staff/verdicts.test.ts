import { deliveryStatus } from '../../machines/delivery/context.ts';
import { candidatesFor } from '../../src/engine/candidates.ts';
import { step } from '../../src/engine/step.ts';
import { verdictsOn } from '../../src/staff/inspect/events.ts';
import { type Inspected, inspectedDelivery, machineOf } from '../../src/staff/inspect/inspected.ts';
import { pathText } from '../../src/staff/inspect/journal.ts';
import { samplesOf } from '../../src/staff/inspect/samples.ts';
import { waitsOf } from '../../src/staff/inspect/waits.ts';
import { LIVES } from '../machines/versions/lives.ts';
import { actor, event } from '../store/support/documents.ts';

const NOW = new Date('2026-03-15T12:00:00.000Z');
const KINDS = ['subscription', 'payment', 'delivery'] as const;

/** Every known state of an actor. */
function actorsOf(kind: Inspected['kind']): Inspected[] {
  if (kind === 'delivery') {
    const attempt = { startedAt: NOW.toISOString(), durationMs: 1, status: 500, error: null, body: '' };
    return deliveryStatus.options.map((status) => {
      const made = event({ status, attempt: 1, attempts: [{ attempt: 1, ...attempt }], wakeAt: NOW });
      return { ...inspectedDelivery(made), _id: status };
    });
  }
  return Object.entries(LIVES[kind]).map(([name, live]) => {
    const { value, context } = live().state;
    return { ...actor({ kind, value, context, clockOffsetMs: 0 }), _id: name };
  });
}

describe.each(KINDS)('the events that a %s would accept', (kind) => {
  it.each(actorsOf(kind).map((doc) => [doc._id, doc] as const))('equal those of its machine: %s', (_, doc) => {
    const version = machineOf(kind);
    const now = NOW.toISOString();
    for (const { event } of samplesOf(doc, now)) {
      const reported = version.event.parse({ ...event, now });
      const isFulfilled = candidatesFor(version, doc, reported).some((candidate) => candidate.isFulfilled);
      expect({ event: event.type, taken: isFulfilled }).toEqual({
        event: event.type,
        taken: step(version, doc, reported, null).taken === true,
      });
    }
    for (const { verdict, why, to } of verdictsOn(version, doc, NOW)) {
      expect(why === null).toBe(verdict !== 'refuses');
      expect(to === null).toBe(verdict !== 'changes');
    }
    expect(waitsOf(doc, pathText(doc.value)).what).toMatch(/\w/);
  });
});
