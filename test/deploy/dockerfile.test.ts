import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const ROOT = new URL('../../', import.meta.url);
const read = (name: string): string => readFileSync(fileURLToPath(new URL(name, ROOT)), 'utf8');
const linesOf = (name: string): string[] =>
  read(name)
    .split('\n')
    .filter((line) => line !== '');

/** What a `COPY` takes from the repository: of another stage comes what an earlier one has copied or made. */
const copied = linesOf('Dockerfile')
  .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
  .flatMap((line) => line.split(/\s+/).slice(1, -1));

/** The projects of TypeScript that the command of the image's build names. */
function projectsOfBuild(): string[] {
  const { build } = z
    .object({ scripts: z.object({ build: z.string() }) })
    .parse(JSON.parse(read('package.json'))).scripts;
  return [...build.matchAll(/-p (\S+)/g)].map(([, name = '']) => name);
}

describe('Dockerfile', () => {
  it('copies only what is there and .dockerignore lets in, and .dockerignore lets in nothing else', () => {
    const [first, ...rest] = linesOf('.dockerignore');
    expect(first).toBe('*');
    expect(copied.length).toBeGreaterThan(5);
    expect(rest.toSorted()).toEqual([...new Set(copied)].map((name) => `!${name}`).toSorted());
    expect(copied.filter((name) => !existsSync(new URL(name, ROOT)))).toEqual([]);
  });

  it('copies every project of TypeScript that the build names, and what each extends', () => {
    const projects = projectsOfBuild();
    const extended = projects.map((name) => /"extends": "\.\/([^"]+)"/.exec(read(name))?.[1]);
    expect(projects.length).toBeGreaterThan(1);
    expect(copied).toEqual(expect.arrayContaining([...projects, ...extended]));
  });
});
