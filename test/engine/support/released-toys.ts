import { z } from 'zod';
import type { MachineVersion, Snapshot } from '../../../machines/versions.ts';
import { newestState } from '../../../src/engine/upcast.ts';
import type { ActorDoc } from '../../../src/store/documents.ts';
import { forced, laterToyMachine, newToy, toyContext, toyEvent, toysOf, toyVersion } from './toy.ts';

/** The second version remembers a label; its first state is `playing`, and it takes `failure.forced`. */
const second = z.strictObject({ ...toyContext.shape, label: z.string() });
/** The third remembers how its first count was reached, too. */
const third = z.strictObject({ ...second.shape, stars: z.int() });
export type ThirdToy = z.infer<typeof third>;

const laterEvent = z.discriminatedUnion('type', [...toyEvent.options, forced]);

/** The first version as code that has later ones keeps it: it takes what that code makes an actor with. */
const first: MachineVersion = {
  ...toyVersion,
  input: z.union([second, third]).transform(({ label: _, ...kept }) => withoutStars(kept)),
};

const v2: MachineVersion = {
  version: 2,
  machine: laterToyMachine,
  context: second,
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
  context: third,
  event: laterEvent,
  upcast: withStars,
};

function withoutStars<T extends object>({ stars: _, ...kept }: T & { stars?: number }) {
  return kept;
}

function withStars({ value, context }: Snapshot): Snapshot {
  return { value, context: { ...context, stars: 10 * second.parse(context).count } };
}

/** The code of each release: which versions it knows. */
export const KNOWS_1 = toysOf(toyVersion);
export const KNOWS_1_2 = toysOf(first, v2);
export const KNOWS_1_2_3 = toysOf(first, v2, v3);
/** Later code from which the oldest machines have been removed. */
export const KNOWS_3 = toysOf(oldest(v3));

/** The same with another way to the second version. */
export function knowing1And2By(upcast: (before: Snapshot) => Snapshot) {
  return toysOf(first, { ...v2, upcast });
}

function oldest({ upcast: _, ...version }: MachineVersion): MachineVersion {
  return version;
}

/** What the domain of the second release makes a toy with. */
export function newSecondToy(id: string): z.infer<typeof second> {
  return { ...newToy(id), label: 'new' };
}

/** What the domain of the newest code makes a toy with. */
export function newThirdToy(id: string, more: Partial<ThirdToy> = {}): ThirdToy {
  return { ...newToy(id), label: 'new', stars: 0, ...more };
}

/** As the newest code reads it, whatever version it is stored in. */
export function asThird(doc: ActorDoc): ThirdToy {
  return third.parse(newestState(KNOWS_1_2_3, doc).context);
}
