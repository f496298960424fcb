import { writeFileSync } from 'node:fs';
import { MACHINES } from '../../../machines/versions.ts';
import { actorKind } from '../../../src/engine/journal.ts';
import { fileOf } from './corpus.ts';
import { LIVES } from './lives.ts';

/**
 * Writes the snapshots of the newest version of every machine again, from the lives in `lives.ts`:
 *
 * npx tsx test/machines/versions/generate.ts
 *
 * Run it during the work on a version, whenever its context or its states have changed. The snapshots of a released
 * version have the form of merchants' documents and are never written again: a change that does not fit them is a new
 * version. It does not touch the files of older versions.
 */
for (const kind of actorKind.options) {
  const lines = Object.entries(LIVES[kind]).map(([name, live]) => {
    const { value, context } = live().state;
    return `${JSON.stringify({ name, value, context })}\n`;
  });
  writeFileSync(fileOf(kind, MACHINES[kind].current.version), lines.join(''));
}
