import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MACHINES } from '../../../machines/versions.ts';
import { actorKind } from '../../../src/engine/journal.ts';
import { folderOf, textOf } from './corpus.ts';
import { LIVES } from './lives.ts';

/**
 * Writes the fixtures of the newest version of every machine again, from the lives in `lives.ts`:
 *
 * npx tsx test/machines/versions/generate.ts
 *
 * Run it during the work on a version, whenever its context or its states have changed. The fixtures of a released version have
 * the form of merchants' documents and are never written again: a change that does not fit them is a new version. It does not
 * touch the folders of older versions.
 */
const ROOT = join(import.meta.dirname, '../../..');

for (const kind of actorKind.options) {
  const { version } = MACHINES[kind].current;
  const folder = folderOf(kind, version);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, live] of Object.entries(LIVES[kind])) {
    writeFileSync(join(folder, `${name}.json`), textOf(kind, version, live().state));
  }
  execFileSync(process.execPath, [join(ROOT, 'node_modules/@biomejs/biome/bin/biome'), 'format', '--write', folder]);
}
