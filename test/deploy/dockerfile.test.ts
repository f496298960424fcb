import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const ROOT = new URL('../../', import.meta.url);
const read = (name: string): string => readFileSync(fileURLToPath(new URL(name, ROOT)), 'utf8');
const linesOf = (name: string): string[] =>
  read(name)
    .split('\n')
    .filter((line) => line !== '');

/** The sources of `COPY` from the repository; those of another stage were copied or made earlier. */
const copied = linesOf('Dockerfile')
  .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
  .flatMap((line) => line.split(/\s+/).slice(1, -1));

/** The TypeScript projects in the build command of the image. */
function projectsOfBuild(): string[] {
  const { build } = z
    .object({ scripts: z.object({ build: z.string() }) })
    .parse(JSON.parse(read('package.json'))).scripts;
  return [...build.matchAll(/-p (\S+)/g)].map(([, name = '']) => name);
}

describe('Dockerfile', () => {
  it('copies only existing files that .dockerignore admits, and .dockerignore admits no others', () => {
    const [first, ...rest] = linesOf('.dockerignore');
    expect(first).toBe('*');
    expect(copied.length).toBeGreaterThan(5);
    expect(rest.toSorted()).toEqual([...new Set(copied)].map((name) => `!${name}`).toSorted());
    expect(copied.filter((name) => !existsSync(new URL(name, ROOT)))).toEqual([]);
  });

  it('copies every TypeScript project of the build, and its base projects', () => {
    const projects = projectsOfBuild();
    const extended = projects.map((name) => /"extends": "\.\/([^"]+)"/.exec(read(name))?.[1]);
    expect(projects.length).toBeGreaterThan(0);
    expect(copied).toEqual(expect.arrayContaining([...projects, ...extended]));
  });
});
