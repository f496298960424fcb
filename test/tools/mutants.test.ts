import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../../scripts/lib/script.ts';
import { whyNot } from '../../tools/mutants/copy.ts';
import { chosen, isWritten, parseMutant, patternOf, readMutants } from '../../tools/mutants/mutant.ts';
import { temporaryFolder } from '../runner/after.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const mutants = await readMutants(ROOT);

/** `npm run prove -- mutants` shows that each is caught; this test shows that each can still be run. */
describe('the deliberate bugs', () => {
  it('are many', () => {
    expect(mutants.length).toBeGreaterThanOrEqual(30);
  });

  it.each(mutants)('$name applies to the sources, and changes no test', async (mutant) => {
    expect(await whyNot(ROOT, mutant)).toBeNull();
    expect(mutant.changes.filter((file) => !/^(src|machines|packages|scripts|web)\//.test(file))).toEqual([]);
  });

  it.each(mutants)('$name names existing tests', async ({ catchers }) => {
    for (const catcher of catchers) {
      expect(existsSync(join(ROOT, catcher.file))).toBe(true);
      expect([catcher, await isWritten(ROOT, catcher)]).toEqual([catcher, true]);
    }
  });
});

const PATCH = `A bug
in two lines.

Stands for: 1.1
Caught by: test/a.test.ts › sees %s (1.5)
Caught by: test/b.test.ts › sees it too

diff --git a/src/a.ts b/src/a.ts
--- a/src/a.ts
+++ b/src/a.ts
@@ -1 +1 @@
-one
+two
`;

describe('a patch', () => {
  it('names its bug, the rule that it breaks and the tests that catch it', () => {
    expect(parseMutant('/x/a-bug.patch', PATCH)).toEqual({
      name: 'a-bug',
      bug: 'A bug in two lines.',
      standsFor: '1.1',
      catchers: [
        { file: 'test/a.test.ts', test: 'sees %s (1.5)' },
        { file: 'test/b.test.ts', test: 'sees it too' },
      ],
      path: '/x/a-bug.patch',
      changes: ['src/a.ts'],
    });
  });

  it.each(['Stands for: 1.1', 'A bug\nin two lines.', 'diff --git a/src/a.ts b/src/a.ts'])(
    'is refused without its %j',
    (part) => {
      const text = PATCH.replace(part, '');
      expect(() => parseMutant('/x/a-bug.patch', text)).toThrow('/x/a-bug.patch: expected');
    },
  );

  it("that does not fit the sources is reported with git's message", async () => {
    const path = join(await temporaryFolder(), 'nowhere.patch');
    await writeFile(path, PATCH);
    const why = await whyNot(ROOT, parseMutant(path, PATCH));
    expect(why).toBe('nowhere does not apply any more: error: src/a.ts: No such file or directory');
  });

  it('is chosen by its name', () => {
    const [first] = mutants;
    expect(chosen(mutants, [first?.name ?? ''])).toEqual([first]);
    expect(chosen(mutants, [])).toEqual(mutants);
    expect(() => chosen(mutants, ['nothing'])).toThrow(UsageError);
  });
});

describe('the test that catches a mutant', () => {
  it('is found by its name as written, whatever replaces its placeholders', () => {
    const pattern = new RegExp(patternOf({ file: 'test/a.test.ts', test: 'sees %s (1.5)' }));
    expect(pattern.test('a judge sees two bugs (1.5)')).toBe(true);
    expect(pattern.test('a judge sees two bugs (1x5)')).toBe(false);
    expect(pattern.test('a judge sees two bugs (1.5) at once')).toBe(false);
  });

  it('may be written in a suite of the same folder, but must be written somewhere', async () => {
    const suite = { file: 'test/store/contract.long.test.ts', test: 'lets exactly one of many have it' };
    expect(await isWritten(ROOT, suite)).toBe(true);
    expect(await isWritten(ROOT, { ...suite, test: 'lets nobody have it' })).toBe(false);
    expect(await isWritten(ROOT, { ...suite, file: 'test/store/no-such.test.ts' })).toBe(false);
  });
});
