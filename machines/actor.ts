import { z } from 'zod';
import { moment } from './effects.ts';
import { jsonObject } from './json.ts';

/** The position of a message in its sender's history: revision and index of the effect that carried it. */
const mark = z.tuple([z.int(), z.int()]);
export type Mark = z.infer<typeof mark>;

/**
 * How many senders a receiver remembers. It forgets the sender that has been silent longest. A later message of a
 * forgotten sender concerns a cycle and attempt that are no longer open, so the receiver drops it.
 */
export const HEARD_SENDERS = 8;

/**
 * The fields that every actor's context has. The engine reads `wakeAt` and `clockOffsetMs`, and keeps in `heard` the
 * newest message from each sender (docs/rules.md, rule 3).
 */
export const frame = {
  /** The next due time, on the actor's own clock; null: the actor waits for an event. */
  wakeAt: moment.nullable(),
  clockOffsetMs: z.int().nonnegative(),
  heard: z.array(z.tuple([z.string(), mark])).max(HEARD_SENDERS),
} as const;

export const freshFrame = { wakeAt: null, clockOffsetMs: 0, heard: [] };

/** Every event carries the actor's own time: machines have no clock. */
export const timed = { now: moment } as const;

/**
 * The first event of every actor, accepted in its initial state. `input` is the first context, so the journal alone is
 * enough for a replay.
 */
export const created = z.strictObject({
  type: z.literal('actor.created'),
  ...timed,
  input: jsonObject,
});
