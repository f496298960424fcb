import { z } from 'zod';
import { json, jsonObject } from '../../machines/json.ts';
import type { MachineFamily, Machines, MachineVersion } from '../../machines/versions.ts';
import { Fault } from '../errors/fault.ts';
import { messageOf } from '../errors/message-of.ts';
import type { ActorDoc, ActorKind, StoredActor } from '../store/documents.ts';
import { ARCHIVED, actorKind } from './journal.ts';
import { type StoredState, unsoundness } from './step.ts';

/** The fields that identify a document's version. */
export type Versioned = Pick<ActorDoc, '_id' | 'kind' | 'machineVersion'>;

/**
 * A document of a version that this process does not have: newer code wrote it, or its version is no longer registered.
 * It may be sound, so it is not quarantined, and a process that knows the version handles it.
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

/**
 * The event in the journal row of an upcast, or in the row that stands for archived rows. It has the whole snapshot, so
 * that a replay needs no earlier row.
 */
export type UpcastEvent = z.infer<typeof upcastEvent>;

export const upcastEvent = z.strictObject({
  type: z.enum([UPCAST, ARCHIVED]),
  now: z.string(),
  fromVersion: z.int().positive(),
  toVersion: z.int().positive(),
  /** The snapshot after the upcast. */
  snapshot: z.strictObject({ value: json, context: jsonObject }),
});

export function versionsOf({ older, current }: MachineFamily): readonly MachineVersion[] {
  return [...older, current];
}

export function knownVersions(machines: Machines, kind: ActorKind): number[] {
  return versionsOf(machines[kind]).map(({ version }) => version);
}

/** The machine of a version; null: not registered. */
export function findVersion(machines: Machines, kind: ActorKind, version: number): MachineVersion | null {
  return versionsOf(machines[kind]).find((each) => each.version === version) ?? null;
}

export function isKnown(machines: Machines, { kind, machineVersion }: Omit<Versioned, '_id'>): boolean {
  return findVersion(machines, kind, machineVersion) !== null;
}

/** The machine of a document's own version. Throws an UnknownVersion if it is not registered. */
export function versionOf(machines: Machines, doc: Versioned): MachineVersion {
  const found = findVersion(machines, doc.kind, doc.machineVersion);
  if (!found) throw new UnknownVersion(machines, doc);
  return found;
}

/**
 * Upcasts a snapshot to a version that is not older, one version at a time. Throws an Error that names the version with
 * an unsound snapshot: the given one, or one that an upcast made.
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
 * A document's snapshot in the shape of the newest version, for the domain to read. Never stored. Throws an
 * UnknownVersion, and the errors of `upcast`.
 */
export function newestState(machines: Machines, doc: Versioned & StoredState): StoredState {
  const family = machines[doc.kind];
  const from = versionOf(machines, doc);
  const stored = { value: doc.value, context: doc.context };
  return from === family.current ? stored : upcast(family, from, family.current.version, stored);
}

/** Why a document cannot be read in its own version or in the newest; null: it is sound. */
export function unsoundnessOf(machines: Machines, doc: StoredActor): string | null {
  const why = unsoundness(versionOf(machines, doc), doc);
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

/** The version of its machine that a process writes, by kind. Default: the newest. */
export type WriteVersions = { readonly [K in ActorKind]?: number };

interface ParsedWriteVersions {
  readonly versions: WriteVersions;
  /** The errors in the text, one line each. */
  readonly problems: readonly string[];
}

/** The version in which a process stores new actors, and to which it brings older ones before they take an event. */
export function writtenVersion(machines: Machines, writes: WriteVersions, kind: ActorKind): number {
  return writes[kind] ?? machines[kind].current.version;
}

/** Reads `WRITE_MACHINE_VERSION`: comma-separated `kind=version`, such as `subscription=1,payment=2`. */
export function parseWriteVersions(text: string, machines: Machines): ParsedWriteVersions {
  const versions: { [K in ActorKind]?: number } = {};
  const problems: string[] = [];
  for (const part of text.split(',').map((each) => each.trim())) {
    const [, name = '', digits = ''] = /^([a-z]+)=(\d{1,6})$/.exec(part) ?? [];
    const kind = actorKind.safeParse(name).data ?? null;
    const problem = problemOf(name, kind, Number(digits), versions, machines);
    if (problem !== null) problems.push(`WRITE_MACHINE_VERSION: "${part}" ${problem}`);
    else if (kind) versions[kind] = Number(digits);
  }
  return { versions, problems };
}

function problemOf(
  name: string,
  kind: ActorKind | null,
  version: number,
  given: WriteVersions,
  machines: Machines,
): string | null {
  if (name === '') return 'is not of the form kind=version';
  if (kind === null) return `names no machine; expected one of ${actorKind.options.join(', ')}`;
  if (given[kind] !== undefined) return `names ${kind} again; expected it once`;
  const known = knownVersions(machines, kind);
  if (known.includes(version)) return null;
  return `names a version of ${kind} that this code does not have; expected one of ${known.join(', ')}`;
}
