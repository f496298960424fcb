import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Json, JsonObject } from '../../../machines/json.ts';
import type { MachineFamily, MachineVersion, Snapshot } from '../../../machines/versions.ts';
import { canonical } from '../../../src/engine/canonical.ts';
import { unsoundness } from '../../../src/engine/step.ts';
import { versionsOf } from '../../../src/engine/upcast.ts';
import { placeOf } from '../support/describe.ts';
import { leavesOf } from '../support/nodes.ts';

/** The folder of one version's fixtures: `<kind>/v<version>`. */
export function folderOf(kind: string, version: number): string {
  return join(import.meta.dirname, kind, `v${version}`);
}

/** One snapshot as a released version stored it. */
const fixture = z.strictObject({
  kind: z.string(),
  version: z.int().positive(),
  value: z.json(),
  context: z.record(z.string(), z.json()),
});

export interface Fixture extends Snapshot {
  readonly name: string;
  readonly version: number;
}

/** The fixtures of one version; none if it has no folder. */
export function fixturesOf(kind: string, version: number): Fixture[] {
  const folder = folderOf(kind, version);
  if (!existsSync(folder)) return [];
  return readdirSync(folder).map((name) => {
    const stored = fixture.parse(JSON.parse(readFileSync(join(folder, name), 'utf8')));
    if (stored.kind !== kind || stored.version !== version)
      throw new Error(`${join(folder, name)} is of another folder`);
    const { value, context } = stored;
    return { name, version, value, context };
  });
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
  const places = new Set(fixtures.map(({ value }) => placeOf(value)));
  const states = leavesOf(machine).filter((place) => !places.has(place));
  const fields = new Set(fixtures.flatMap(({ context }) => Object.keys(context)));
  const empty = [...fields].filter((field) => fixtures.every(({ context }) => isNothing(context[field])));
  return [
    ...states.map((place) => `no fixture stands in ${place}`),
    ...empty.map((field) => `context.${field} is empty in every fixture`),
  ];
}

function isNothing(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** The text of a snapshot's fixture. */
export function textOf(
  kind: string,
  version: number,
  { value, context }: { value: Json; context: JsonObject },
): string {
  return `${JSON.stringify({ kind, version, value, context }, null, 2)}\n`;
}
