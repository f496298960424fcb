import { z } from 'zod';
import { parseOnce } from '../../../machines/parse-once.ts';
import type { Machines, MachineVersion, Snapshot } from '../../../machines/versions.ts';
import { newestState } from '../../../src/engine/upcast.ts';
import type { ActorDoc } from '../../../src/store/documents.ts';
import { openMemoryStore } from '../../../src/store/memory/store.ts';
import { forced, laterToyMachine, newToy, toyContext, toyEvent, toysOf, toyVersion } from './toy.ts';
import { TestClock, World, type WorldOptions } from './world.ts';

/** The second version keeps a label; its first state is `playing`, and it accepts `failure.forced`. */
const second = z.strictObject({ ...toyContext.shape, label: z.string() });
/** The third version also keeps the origin of its first count. */
const third = z.strictObject({ ...second.shape, stars: z.int() });
export type ThirdToy = z.infer<typeof third>;

const laterEvent = z.discriminatedUnion('type', [...toyEvent.options, forced]);

/** The first version in code that also has later ones: its input is that of the newest code. */
const first: MachineVersion = {
  ...toyVersion,
  input: z.union([second, third]).transform(({ label: _, ...kept }) => withoutStars(kept)),
};

const v2: MachineVersion = {
  version: 2,
  machine: laterToyMachine,
  context: parseOnce(second),
  input: z.union([second, third]).transform(withoutStars),
  event: laterEvent,
  upcast: ({ value, context }) => ({
    value: value === 'open' ? 'playing' : value,
    context: { ...context, label: `once ${String(value)}` },
  }),
};

const v3: MachineVersion = {
  version: 3,
  machine: laterToyMachine,
  context: parseOnce(third),
  event: laterEvent,
  upcast: withStars,
};

function withoutStars<T extends object>({ stars: _, ...kept }: T & { stars?: number }) {
  return kept;
}

function withStars({ value, context }: Snapshot): Snapshot {
  return { value, context: { ...context, stars: 10 * second.parse(context).count } };
}

/** The versions that the code of each release knows. */
export const KNOWS_1 = toysOf(toyVersion);
export const KNOWS_1_2 = toysOf(first, v2);
export const KNOWS_1_2_3 = toysOf(first, v2, v3);
/** Later code without the oldest machines. */
export const KNOWS_3 = toysOf(oldest(v3));

/** The same with another way to the second version. */
export function knowing1And2By(upcast: (before: Snapshot) => Snapshot) {
  return toysOf(first, { ...v2, upcast });
}

function oldest({ upcast: _, ...version }: MachineVersion): MachineVersion {
  return version;
}

/** The input of a new toy in the newest code. */
export function newThirdToy(id: string, more: Partial<ThirdToy> = {}): ThirdToy {
  return { ...newToy(id), label: 'new', stars: 0, ...more };
}

/** The toy as the newest code reads it, whatever its stored version. */
export function asThird(doc: ActorDoc): ThirdToy {
  return third.parse(newestState(KNOWS_1_2_3, doc).context);
}

/** Processes of several releases on one store and clock. They wake only actors that a scan finds. */
export function openReleases(store = openMemoryStore()) {
  const shared = { store, clock: new TestClock(), dispatchesDue: false };
  const of = (machines: Machines, options: WorldOptions = {}) => new World({ ...shared, machines, ...options });
  return { ...shared, of };
}
