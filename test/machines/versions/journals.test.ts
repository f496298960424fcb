import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { mark } from '../../../machines/actor.ts';
import { jsonObject } from '../../../machines/json.ts';
import { MACHINES, type MachineVersion } from '../../../machines/versions.ts';
import { canonical } from '../../../src/engine/canonical.ts';
import { actorKind } from '../../../src/engine/journal.ts';
import { initialState, type Sender, type StoredState, step } from '../../../src/engine/step.ts';
import { findVersion } from '../../../src/engine/upcast.ts';

/**
 * Journals that a released version wrote while it was the newest, `<kind>-v<version>.jsonl`: events, with a digest of every
 * resulting state and effect. They are never written again.
 */
const FOLDER = join(import.meta.dirname, 'journals');

const sender = z.strictObject({ id: z.string(), mark }).nullable();
const row = z.strictObject({ event: z.looseObject({ type: z.string(), now: z.string() }), sender });
const journal = z.strictObject({ name: z.string(), digest: z.string(), rows: z.array(row).min(1) });

const JOURNALS = readdirSync(FOLDER).flatMap((file) => {
  const [, kind, version] = /^(\w+)-v(\d+)\.jsonl$/.exec(file) ?? [];
  const lines = readFileSync(join(FOLDER, file), 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const { name, digest, rows } = journal.parse(JSON.parse(line));
    return [actorKind.parse(kind), Number(version), name, digest, rows] as const;
  });
});

function digestOf(version: MachineVersion, rows: readonly z.output<typeof row>[]): string {
  const hash = createHash('sha256');
  let state: StoredState | null = null;
  for (const { event, sender: from } of rows) {
    state ??= initialState(version, jsonObject.parse(event['input']));
    const stepped = step(version, state, version.event.parse(event), from satisfies Sender | null);
    if (stepped.taken !== true) throw new Error(`${event.type} at ${event.now} is not taken`);
    state = stepped.state;
    hash.update(canonical({ state: { ...state }, effects: [...stepped.effects] }));
  }
  return hash.digest('hex');
}

describe('a journal of an earlier version', () => {
  it('exists for each version', () => {
    const kept = new Set(JOURNALS.map(([kind, version]) => `${kind} ${version}`));
    const older = actorKind.options.flatMap((kind) => MACHINES[kind].older.map(({ version }) => `${kind} ${version}`));
    expect([...kept].sort()).toEqual(older.sort());
  });

  it.each(JOURNALS)('of %s %i, %s, leads to the same states and effects', (kind, number, _, digest, rows) => {
    const version = findVersion(MACHINES, kind, number);
    if (version === null) throw new Error(`version ${number} of ${kind} is not registered`);
    expect(digestOf(version, rows)).toBe(digest);
  });
});
