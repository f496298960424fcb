import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Json } from '../../../machines/json.ts';
import type { MachineFamily, MachineVersion, Snapshot } from '../../../machines/versions.ts';
import { canonical } from '../../../src/engine/canonical.ts';
import { unsoundness } from '../../../src/engine/step.ts';
import { versionsOf } from '../../../src/engine/upcast.ts';
import { stateNameOf } from '../support/describe.ts';
import { leavesOf } from '../support/nodes.ts';

/** The file with the snapshots of one version, one a line. */
export function fileOf(kind: string, version: number): string {
  return join(import.meta.dirname, `${kind}-v${version}.jsonl`);
}

/** One snapshot as a released version stored it. */
const fixture = z.strictObject({ name: z.string(), value: z.json(), context: z.record(z.string(), z.json()) });

export interface Fixture extends Snapshot {
  readonly name: string;
}

/** The fixtures of one version; none if it has no file. */
export function fixturesOf(kind: string, version: number): Fixture[] {
  const file = fileOf(kind, version);
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => fixture.parse(JSON.parse(line)));
}

/** The reasons why fixtures do not show that documents of a version can still be read. Empty: they show it. */
export function problemsWith(version: MachineVersion, fixtures: readonly Fixture[]): string[] {
  return [...fixtures.flatMap((each) => misreadings(version, each)), ...unseen(version, fixtures)];
}

/** The same for a whole family; `of` returns the fixtures of one version. */
export function problemsOf(family: MachineFamily, of: (version: number) => readonly Fixture[]): string[] {
  return versionsOf(family).flatMap((version) =>
    problemsWith(version, of(version.version)).map((problem) => `version ${version.version}: ${problem}`),
  );
}

/** A released schema has changed if its stored data is refused, or read differently. */
function misreadings(version: MachineVersion, { name, value, context }: Fixture): string[] {
  const why = unsoundness(version, { value, context });
  if (why !== null) return [`${name} ${why}`];
  const isSame = canonical(version.context.parse(context)) === canonical(context);
  return isSame ? [] : [`${name} is read as another context than was stored`];
}

/** States, and context fields with a value, that no fixture has. */
function unseen({ machine }: MachineVersion, fixtures: readonly Fixture[]): string[] {
  const reached = new Set(fixtures.map(({ value }) => stateNameOf(value)));
  const states = leavesOf(machine).filter((state) => !reached.has(state));
  const fields = new Set(fixtures.flatMap(({ context }) => Object.keys(context)));
  const empty = [...fields].filter((field) => fixtures.every(({ context }) => isNothing(context[field])));
  return [
    ...states.map((state) => `no fixture is in ${state}`),
    ...empty.map((field) => `context.${field} is empty in every fixture`),
  ];
}

function isNothing(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
