import type { Machines } from '../../machines/versions.ts';
import type { ActorKind } from '../store/documents.ts';
import { actorKind } from './journal.ts';
import { knownVersions } from './upcast.ts';

/** The version of its machine that a process writes, by kind. Default: the newest. */
export type WriteVersions = { readonly [K in ActorKind]?: number };

export interface ParsedWriteVersions {
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
