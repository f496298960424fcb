import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { readConfig } from '../../src/config/config.ts';
import { packageRoot } from '../../src/package/root.ts';
import { STAFF_ROUTES, STAFF_SESSION_ROUTES } from '../../src/staff/routes.ts';
import { namesIn, pathOf, read } from '../support/repository.ts';

const { scripts: SCRIPTS } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(read('package.json')));

const PAGES = [
  ...readdirSync(packageRoot()).filter((name) => name.endsWith('.md')),
  ...namesIn('docs').filter((name) => name.endsWith('.md')),
];

/** A page without its code blocks. */
function proseOf(page: string): string {
  return read(page).replaceAll(/^```[\s\S]*?^```$/gm, '');
}

/** The part of a page below a heading, up to the next heading of the same level. */
function sectionOf(page: string, heading: string): string {
  const text = read(page);
  const from = text.indexOf(`\n${heading}\n`);
  expect([page, heading, from]).not.toEqual([page, heading, -1]);
  const level = heading.slice(0, heading.indexOf(' ') + 1);
  const to = text.indexOf(`\n${level}`, from + heading.length);
  return text.slice(from, to < 0 ? undefined : to);
}

/** The first cell of each table row in a text, if it is code. */
function rowsOf(text: string): string[] {
  return [...text.matchAll(/^\| `([^`]+)`/gm)].map(([, name = '']) => name);
}

/** The anchors of a page, as GitHub makes them from its headings. */
function anchorsOf(page: string): string[] {
  return [...proseOf(page).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Every link and picture of a page that leads to this repository. */
function linksIn(page: string): string[] {
  const text = proseOf(page);
  const links = [...text.matchAll(/\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"/g)].map(([, a, b]) => a ?? b ?? '');
  return links.filter((link) => !/^https?:/.test(link));
}

/** The reason why a link leads nowhere; null: it leads to a file, and to a heading if it names one. */
function problemOf(page: string, link: string): string | null {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  if (!existsSync(pathOf(target))) return `${page}: ${link} does not exist`;
  if (anchor === undefined || anchorsOf(target).includes(anchor)) return null;
  return `${page}: ${target} has no heading #${anchor}`;
}

/** Every path of the repository that a page names as code. */
function pathsIn(page: string): string[] {
  const spans = [
    ...read(page).matchAll(/`((?:src|machines|packages|scripts|tools|test|docs|web|deploy|examples)\/[\w./-]*)`/g),
  ].map(([, path = '']) => path);
  return [...new Set(spans)];
}

interface Use {
  readonly page: string;
  readonly script: string;
  /** The first word after `--`, such as `doctor`; empty without one. */
  readonly command: string;
  readonly flags: readonly string[];
}

/** Every `npm run` of a page with its flags. */
function usesIn(page: string): Use[] {
  const runs = /npm (?:(start|test)|run (?:--silent )?([a-z]+(?:-[a-z]+)*))((?:[ \t]+(?!#)[^\s`|;&)(]+)*)/g;
  return [...read(page).matchAll(runs)].map(([, short, long = '', rest = '']) => ({
    page,
    script: short ?? long,
    command: /^\s*--\s+([a-z][a-z-]*)/.exec(rest)?.[1] ?? '',
    flags: flagsIn(rest),
  }));
}

function flagsIn(text: string): string[] {
  return [...text.matchAll(/(?<=[\s`])--([a-z][a-z-]*)/g)].map(([, flag = '']) => flag);
}

/** The scripts that have several commands. */
const ENTRIES: readonly string[] = ['build', 'ops', 'prove', 'tideline'];

/** The source of an npm script: its file, and with a command the modules that its table names for it. */
function sourceOf({ script, command }: Use): string {
  const [, typed, program] = /^(?:tsx (?:watch )?(\S+)|node scripts\/run\.mjs (\S+))/.exec(SCRIPTS[script] ?? '') ?? [];
  const file = typed ?? (program && `${program}.ts`);
  if (file === undefined) return '';
  if (!ENTRIES.includes(script) || command === '') return read(file);
  const row = new RegExp(`^  '?${command}'?: [^]*?(?=^  \\S)`, 'm').exec(`${read(file)}\n  .`)?.[0] ?? '';
  const modules = [...row.matchAll(/import\('(\.\/[^']+)'\)/g)].map(([, path = '']) => read(join(dirname(file), path)));
  return [row, ...modules, ...(script === 'tideline' ? [read('packages/cli/src/credentials.ts')] : [])].join('\n');
}

describe('README.md', () => {
  it('has at most 250 lines', () => {
    expect(read('README.md').split('\n').length).toBeLessThanOrEqual(251);
  });

  it('shows the two commands as users type them', () => {
    expect(read('README.md')).toContain('`npm ci && npm run demo`');
    expect(read('README.md')).toContain('`npm ci && npm test`');
  });

  it('has every folder of the sources in its table', () => {
    const map = sectionOf('README.md', '## Architecture');
    const entries = readdirSync(pathOf('src'), { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => `src/${name}/`);
    expect(folders.length).toBeGreaterThan(10);
    expect(folders.filter((folder) => !map.includes(`\`${folder}\``))).toEqual([]);
  });
});

describe('docs/reference/', () => {
  it('has a row for every variable that the configuration reads, and for no other', () => {
    const asked = new Set<string>();
    // With a remote signer, because its token is read only then.
    const environment: Readonly<Record<string, string>> = {
      SIGNER_URL_EVM: 'https://signer.example',
      SENDER_ADDRESSES_EVM: `0x${'12'.repeat(20)}`,
    };
    const get = (_: typeof environment, name: string) => {
      asked.add(name.replace(/_FILE$/, '').replace(/_\d+$/, '_<chainId>'));
      return environment[name];
    };
    readConfig(new Proxy(environment, { get }));
    const rows = rowsOf(sectionOf('docs/reference/environment.md', '## The service'));
    expect(rows.toSorted()).toEqual([...asked].toSorted());
  });

  it('has every variable that the documents name', () => {
    const rows = rowsOf(read('docs/reference/environment.md'));
    const known = new Set(rows.map((name) => name.replace('_<chainId>', '')));
    const named = PAGES.flatMap((page) =>
      [...proseOf(page).matchAll(/`([A-Z][A-Z]+(?:_[A-Z]+)+)(?:_FILE)?(?:_…|_<chainId>)?(?:=[^`]*)?`/g)].map(
        ([, name = '']) => ({ page, name: name.replace(/_FILE$/, '') }),
      ),
    );
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter(({ name }) => !known.has(name) && !NO_VARIABLES.includes(name))).toEqual([]);
  });

  it('has a row for every npm script, and for no other', () => {
    const rows = rowsOf(read('docs/reference/commands.md')).map((row) => row.replace(/^npm (?:run )?/, ''));
    expect(rows.toSorted()).toEqual(Object.keys(SCRIPTS).toSorted());
  });

  it('has a row for every route of the staff API with its role, and for no other', () => {
    const table = read('docs/reference/staff-api.md').matchAll(/^\| ([A-Z]+) +\| `([^`]+)` +\| (\w*)/gm);
    const rows = [...table].map(([, method, path, role]) => `${method} ${path} ${role}`);
    const routes = [
      ...STAFF_ROUTES.map(({ method, path, role }) => `${method} ${path} ${role}`),
      ...STAFF_SESSION_ROUTES.map(({ method, path }) => `${method} ${path} `),
    ];
    expect(rows.toSorted()).toEqual(routes.toSorted());
  });

  it('has a row for every metric, and for no other', () => {
    const sources = ['gauges', 'metrics'].map((name) => read(`src/metrics/${name}.ts`)).join('\n');
    const whole = [...sources.matchAll(/'tideline_([a-z_]+)'/g)].map(([, name = '']) => name);
    const counted = [...sources.matchAll(/= counter\(\s*'([a-z_]+)'/g)].map(([, name]) => `${name}_total`);
    const ofChains = [...sources.matchAll(/\bof\(\s*'([a-z_]+)'/g)].map(([, name]) => `chain_${name}`);
    const ofSenders = [...sources.matchAll(/\bofSender\(\s*'([a-z_]+)'/g)].map(([, name]) => `sender_${name}`);
    const durations = [...read('src/metrics/metrics.ts').matchAll(/'([a-z_]+_duration_seconds)'/g)].map(
      ([, name = '']) => name,
    );
    const names = [...new Set([...whole, ...counted, ...ofChains, ...ofSenders, ...durations])];
    expect(names.length).toBeGreaterThan(20);
    expect(rowsOf(read('docs/reference/metrics.md')).toSorted()).toEqual(names.toSorted());
  });
});

/** Constants of code and of a database in documents. */
const NO_VARIABLES: readonly string[] = ['DOMAIN_SEPARATOR'];

describe('the documents', () => {
  it('link only to files and headings that exist', () => {
    const links = PAGES.flatMap((page) => linksIn(page).map((link) => ({ page, link })));
    expect(links.length).toBeGreaterThan(60);
    expect(links.flatMap(({ page, link }) => problemOf(page, link) ?? [])).toEqual([]);
  });

  it('can all be reached from the README', () => {
    const seen = new Set(['README.md']);
    for (const page of seen) {
      const targets = linksIn(page).map((link) => join(dirname(page), link.split('#')[0] || '.'));
      for (const target of targets) if (PAGES.includes(target)) seen.add(target);
    }
    expect(PAGES.filter((page) => !seen.has(page))).toEqual([]);
  });

  it('name only paths that exist', () => {
    const named = PAGES.flatMap((page) => pathsIn(page).map((path) => ({ page, path })));
    expect(named.length).toBeGreaterThan(60);
    expect(named.filter(({ path }) => !existsSync(pathOf(path)))).toEqual([]);
  });

  it('name only npm scripts and commands that exist, with flags that they know', () => {
    const uses = PAGES.flatMap((page) => usesIn(page));
    expect(uses.length).toBeGreaterThan(80);
    expect(uses.filter(({ script }) => SCRIPTS[script] === undefined)).toEqual([]);
    expect(uses.filter((use) => ENTRIES.includes(use.script) && use.command !== '' && sourceOf(use) === '')).toEqual(
      [],
    );
    const strange = uses.flatMap((use) =>
      use.flags.filter((flag) => flag !== 'help' && !sourceOf(use).includes(flag)).map((flag) => ({ ...use, flag })),
    );
    expect(strange).toEqual([]);
  });

  it('say how to pack a package that is not published yet', () => {
    const pages = [...PAGES, 'examples/README.md', 'packages/client/README.md', 'packages/cli/README.md'];
    const installing = pages.filter((page) => /npm install .*@tideline\/|npx @tideline\//.test(read(page)));
    expect(installing.length).toBeGreaterThan(3);
    expect(installing.filter((page) => !read(page).includes('npm pack ./packages/'))).toEqual([]);
  });

  it('name no folder of a machine', () => {
    expect(PAGES.filter((page) => /(^|[\s`"])\/(home|Users|root|work|tmp)\//m.test(read(page)))).toEqual([]);
  });
});

describe('docs/adr/', () => {
  const pages = PAGES.filter((page) => /^docs\/adr\/(?!README)/.test(page)).toSorted();

  it('has pages of one form: decisions, and after them why, what was measured and what was rejected', () => {
    expect(pages.length).toBeGreaterThan(15);
    const strange = pages.map((page) => {
      const headings = [...read(page).matchAll(/^#+ .+$/gm)].map(([heading]) => heading);
      const [title, decisions, ...rest] = headings.filter((heading) => !AFTER_DECISIONS.includes(heading));
      return title?.startsWith('# ') && decisions === '## Decisions' && rest.length === 0 ? [] : [page, ...headings];
    });
    expect(strange.flat()).toEqual([]);
  });

  it('has a row for every page in its index', () => {
    expect(
      linksIn('docs/adr/README.md')
        .map((link) => `docs/adr/${link}`)
        .toSorted(),
    ).toEqual(pages);
  });
});

const AFTER_DECISIONS: readonly string[] = ['## Why', '## Measured', '## Rejected'];

describe('the check of links', () => {
  it('finds a missing file, and a missing heading', () => {
    expect(problemOf('README.md', 'none.md')).toBe('README.md: none.md does not exist');
    expect(problemOf('README.md', '#no-such')).toBe('README.md: README.md has no heading #no-such');
    expect(problemOf('docs/rules.md', '../README.md#whom-you-have-to-trust')).toBeNull();
  });
});
