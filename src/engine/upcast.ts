import { z } from 'zod';
import type { Json, JsonObject } from '../../machines/json.ts';
import type { MachineFamily, Machines, MachineVersion } from '../../machines/versions.ts';
import { Fault } from '../errors/fault.ts';
import { messageOf } from '../errors/message-of.ts';
import type { ActorDoc, ActorKind } from '../store/documents.ts';
import { brokenListOf } from './envelope.ts';
import { type StoredState, unsoundness } from './step.ts';

/** What says of which version a document is. */
export type Versioned = Pick<ActorDoc, '_id' | 'kind' | 'machineVersion'>;

/**
 * A document of a version that this process does not have: written by newer code, or older than what is still registered.
 * It may be sound, so it is neither guessed at nor quarantined: it is left to a process that knows its version.
 */
export class UnknownVersion extends Fault {
  constructor(machines: Machines, { _id, kind, machineVersion }: Versioned) {
    const known = knownVersions(machines, kind).join(', ');
    super('internal', 'Internal error', {
      internal: `${_id} is of version ${machineVersion} of ${kind}; expected one that this process knows: ${known}`,
    });
  }
}

/** The type of an {@link UpcastEvent}. */
export const UPCAST = 'snapshot.upcast';

/** The event of the journal row that reports an upcast, with the whole snapshot: a replay needs nothing before it. */
export type UpcastEvent = {
  readonly type: typeof UPCAST;
  readonly now: string;
  readonly fromVersion: number;
  readonly toVersion: number;
  /** As it became. */
  readonly snapshot: { readonly value: Json; readonly context: JsonObject };
};

export const upcastEvent: z.ZodType<UpcastEvent> = z.strictObject({
  type: z.literal(UPCAST),
  now: z.string(),
  fromVersion: z.int().positive(),
  toVersion: z.int().positive(),
  snapshot: z.strictObject({ value: z.json(), context: z.record(z.string(), z.json()) }),
});

export function versionsOf({ older, current }: MachineFamily): readonly MachineVersion[] {
  return [...older, current];
}

export function knownVersions(machines: Machines, kind: ActorKind): number[] {
  return versionsOf(machines[kind]).map(({ version }) => version);
}

/** The machine of a version, or null where it is not registered. */
export function findVersion(machines: Machines, kind: ActorKind, version: number): MachineVersion | null {
  return versionsOf(machines[kind]).find((each) => each.version === version) ?? null;
}

/** Whether this process has the machine of a document. One that it has not is left alone. */
export function isKnown(machines: Machines, { kind, machineVersion }: Omit<Versioned, '_id'>): boolean {
  return findVersion(machines, kind, machineVersion) !== null;
}

/** The machine of a document's own version. Throws an UnknownVersion. */
export function versionOf(machines: Machines, doc: Versioned): MachineVersion {
  const found = findVersion(machines, doc.kind, doc.machineVersion);
  if (!found) throw new UnknownVersion(machines, doc);
  return found;
}

/**
 * A snapshot of a registered version as one of another, not older one: step by step through every version between. Throws
 * an Error that names the version whose snapshot is not sound: the one that was given, or what an upcast made of it.
 */
export function upcast(family: MachineFamily, from: MachineVersion, to: number, state: StoredState): StoredState {
  const steps = versionsOf(family).filter(({ version }) => version > from.version && version <= to);
  return steps.reduce(
    (before, version) => {
      if (!version.upcast) throw new Error(`version ${version.version} has no upcast`);
      return sound(version, version.upcast(before));
    },
    sound(from, state),
  );
}

/**
 * A document's snapshot in the shape of the newest version, whatever version it is stored in: what the domain reads. Never
 * stored. Throws an UnknownVersion, and what `upcast` throws.
 */
export function newestState(machines: Machines, doc: Versioned & StoredState): StoredState {
  const family = machines[doc.kind];
  const from = versionOf(machines, doc);
  const stored = { value: doc.value, context: doc.context };
  return from === family.current ? stored : upcast(family, from, family.current.version, stored);
}

/**
 * Why a document cannot be worked on, in its own version or in the newest, as the domain reads it, or not be written; null: it
 * can.
 */
export function unsoundnessOf(machines: Machines, doc: ActorDoc): string | null {
  const why = brokenListOf(doc) ?? unsoundness(versionOf(machines, doc), doc);
  if (why !== null) return why;
  try {
    newestState(machines, doc);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

function sound(version: MachineVersion, state: StoredState): StoredState {
  const why = unsoundness(version, state);
  if (why !== null) throw new Error(`the snapshot of version ${version.version} ${why}`);
  return { value: state.value, context: version.context.parse(state.context) };
}
