import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const REPOSITORY = new URL('../../', import.meta.url);

const read = (path: string): string => readFileSync(fileURLToPath(new URL(path, REPOSITORY)), 'utf8');

const readme = read('README.md');

const PAGES = [
  'README.md',
  ...readdirSync(new URL('docs', REPOSITORY))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** Every path of the repository that a page names, without what stands for a name. */
function pathsIn(page: string): string[] {
  const spans = [...page.matchAll(/`((?:src|machines|scripts|test|docs|web|deploy|examples)\/[\w./-]*)`/g)].map(
    ([, path = '']) => path,
  );
  return [...new Set(spans)];
}

describe('README.md', () => {
  it('shows the two commands as they are to be typed', () => {
    expect(readme).toContain('`npm ci && npm run demo`');
    expect(readme).toContain('`npm ci && npm test`');
  });

  it('has every folder of the sources on its map', () => {
    const map = readme.slice(readme.indexOf('### The folders'), readme.indexOf('### Where is'));
    const entries = readdirSync(new URL('src', REPOSITORY), { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => `src/${name}/`);
    expect(folders.length).toBeGreaterThan(10);
    expect(folders.filter((folder) => !map.includes(`\`${folder}\``))).toEqual([]);
  });

  it('has a row for every variable that the configuration reads, and for no other', () => {
    const source = read('src/config.ts');
    const named = [...source.matchAll(/(?:reader\.\w+|platformWallet)\(\s*(?:reader, )?'([A-Z][A-Z_]+)'/g)].map(
      ([, name = '']) => name,
    );
    const perChain = [...source.matchAll(/`([A-Z_]+)_\$\{chainId\}`/g)].map(([, name]) => `${name}_<chainId>`);
    const rows = [...readme.matchAll(/^\| `([A-Z_]+(?:_<chainId>)?)`/gm)].map(([, name = '']) => name);
    expect(rows.toSorted()).toEqual([...new Set([...named, ...perChain])].toSorted());
  });

  it('has a row for every npm script, and for no other', () => {
    const { scripts } = z.object({ scripts: z.record(z.string(), z.string()) }).parse(JSON.parse(read('package.json')));
    const rows = [...readme.matchAll(/^\| `npm (?:run )?([a-z-]+)`/gm)].map(([, name = '']) => name);
    expect(rows.toSorted()).toEqual(Object.keys(scripts).toSorted());
  });
});

describe('README.md and the pages of docs/', () => {
  it('name only what is there', () => {
    const named = PAGES.flatMap((page) => pathsIn(read(page)).map((path) => ({ page, path })));
    expect(named.length).toBeGreaterThan(200);
    expect(named.filter(({ path }) => !existsSync(new URL(path, REPOSITORY)))).toEqual([]);
  });

  it('name no folder of a machine', () => {
    expect(PAGES.filter((page) => /(^|[\s`"])\/(home|Users|root|work|tmp)\//m.test(read(page)))).toEqual([]);
  });
});
