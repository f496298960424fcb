import { z } from 'zod';
import { moment } from './effects.ts';
import { jsonObject } from './json.ts';

/** The place of a message in its sender's history: revision and index of the effect that carried it. */
export const mark = z.tuple([z.int(), z.int()]);
export type Mark = z.infer<typeof mark>;

/**
 * How many senders a receiver remembers; the longest silent is forgotten first. A message of a forgotten sender is about a cycle
 * and attempt that is no longer open, and is dropped for that.
 */
export const HEARD_SENDERS = 8;

/**
 * What every actor's context holds beside its own: the engine reads `wakeAt` and `clockOffsetMs` from it, and keeps
 * `heard`, the newest message taken from each sender (docs/rules.md, rule 3).
 */
export const frame = {
  /** The actor's own time at which something falls due; null: it waits for an event. */
  wakeAt: moment.nullable(),
  clockOffsetMs: z.int().nonnegative(),
  heard: z.array(z.tuple([z.string(), mark])).max(HEARD_SENDERS),
} as const;

export const freshFrame = { wakeAt: null, clockOffsetMs: 0, heard: [] };

/** Every event carries the actor's own time: machines have no clock. */
export const timed = { now: moment } as const;

/**
 * The first event that every actor takes, in its initial state, when it is made. `input` is its first context: with it the
 * journal alone is enough to replay from nothing.
 */
export const created = z.strictObject({
  type: z.literal('actor.created'),
  ...timed,
  input: jsonObject,
});
