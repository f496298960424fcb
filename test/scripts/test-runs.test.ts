import { z } from 'zod';
import { namesIn, pathOf, read } from '../support/repository.ts';

const FILES = namesIn('test').filter((name) => name.endsWith('.test.ts'));

const configSchema = z.object({
  testMatch: z.array(z.string()),
  testPathIgnorePatterns: z.array(z.string()).default([]),
});

/** The files that Jest runs with a configuration. */
async function filesOf(config: string): Promise<string[]> {
  const { default: found } = await import(pathOf(config));
  const { testMatch, testPathIgnorePatterns } = configSchema.parse(found);
  const ends = testMatch.map((glob) => glob.replace('<rootDir>/test/**/*', ''));
  return FILES.filter(
    (file) =>
      ends.some((end) => file.endsWith(end)) &&
      !testPathIgnorePatterns.some((pattern) => new RegExp(pattern).test(`/${file}`)),
  );
}

describe('npm test, npm test -- --long and npm run prove -- all', () => {
  it('run every test file together, and none twice', async () => {
    const [first, then] = [await filesOf('jest.short.config.js'), await filesOf('jest.long.config.js')];
    const last = FILES.filter((file) => file.endsWith('.full.test.ts'));
    expect([...first, ...then, ...last].sort()).toEqual([...FILES].sort());
    expect(await filesOf('jest.config.js')).toEqual(FILES);
    expect(Math.min(first.length, then.length)).toBeGreaterThan(50);
    expect(read('tools/prove.ts')).toContain("process.env['TIDELINE_PROOF'] = 'full';");
  });

  it('run one after the other in .ci/run, after a clean install, under the oldest and the newest Node that is promised', () => {
    const commands = read('.ci/run').match(/^(npm|under [0-9]+) .*$/gm);
    expect(commands).toEqual([
      'npm ci --no-audit --no-fund',
      expect.stringMatching(/^under 24 npm test -- /),
      'npm test </dev/null',
      'npm test -- --long </dev/null',
    ]);
  });

  it('use these configurations', () => {
    const script = read('scripts/test.ts');
    expect(script.match(/jest\.\w+\.config\.js/g)).toEqual(['jest.long.config.js', 'jest.short.config.js']);
  });
});
