import { existsSync } from 'node:fs';
import { packageVersion } from '../../src/package/root.ts';
import { readDockerfile } from '../support/dockerfile.ts';
import { pathOf, read } from '../support/repository.ts';

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
  return [...read('scripts/build.ts').matchAll(/'-p', '([^']+)'/g)].map(([, name = '']) => name);
}

describe('Dockerfile', () => {
  it('copies only existing files that .dockerignore admits, and .dockerignore admits no others', () => {
    const [first, ...rest] = linesOf('.dockerignore');
    expect(first).toBe('*');
    expect(copied.length).toBeGreaterThan(5);
    expect(rest.toSorted()).toEqual([...new Set(copied)].map((name) => `!${name}`).toSorted());
    expect(copied.filter((name) => !existsSync(pathOf(name)))).toEqual([]);
  });

  it('copies every TypeScript project of the build, and its base projects', () => {
    const projects = projectsOfBuild();
    const extended = projects.map((name) => /"extends": "\.\/([^"]+)"/.exec(read(name))?.[1]);
    expect(projects.length).toBeGreaterThan(0);
    expect(copied).toEqual(expect.arrayContaining([...projects, ...extended]));
  });
});

describe('docker-bake.hcl', () => {
  const bake = read('docker-bake.hcl');
  const defaults = new Map(
    [...bake.matchAll(/^variable "(\w+)" \{\n {2}default = "([^"]*)"/gm)].map(([, name, value]) => [name, value]),
  );

  it('gives the arguments of the Dockerfile, with the same defaults', () => {
    const declared = [...read('Dockerfile').matchAll(/^ARG (\w+)=(.+)$/gm)].map(([, name, value]) => [name, value]);
    const given = /args = \{\n([^}]*)\}/.exec(bake)?.[1] ?? '';
    const names = [...given.matchAll(/^\s*(\w+)\s*= (\w+)$/gm)].map(([, name, variable]) => [name, variable]);
    expect(names.toSorted()).toEqual(declared.map(([name]) => [name, name]).toSorted());
    for (const [name, value] of declared) expect([name, defaults.get(name)]).toEqual([name, value]);
    expect(defaults.get('VERSION')).toBe(packageVersion());
  });

  it('makes one image for two architectures, with its bill of materials and its provenance', () => {
    expect(bake).toContain('platforms = ["linux/amd64", "linux/arm64"]');
    expect(bake).toContain('attest    = ["type=sbom", "type=provenance,mode=max"]');
  });
});

describe('the image', () => {
  it('says what it is, runs as a numbered user, and comes from one pinned tag', async () => {
    const stages = await readDockerfile();
    const last = stages.at(-1)?.instructions ?? [];
    const labels = last.filter(({ name }) => name === 'LABEL').flatMap(({ rest }) => rest.match(/[\w.]+(?==")/g) ?? []);
    const named = ['title', 'description', 'licenses', 'source', 'documentation', 'version', 'revision', 'created'];
    expect(labels).toEqual(named.map((name) => `org.opencontainers.image.${name}`));
    expect(last.filter(({ name }) => name === 'USER')).toEqual([{ name: 'USER', rest: '1000:1000' }]);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Docker replaces it.
    expect(new Set(stages.map(({ image }) => image))).toEqual(new Set(['${NODE_IMAGE}']));
    expect(read('Dockerfile')).toMatch(/^ARG NODE_IMAGE=node:\d+\.\d+\.\d+-[a-z]+-slim$/m);
  });
});
