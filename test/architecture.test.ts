import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '..');

/**
 * The allowed imports (docs/rules.md, "Layout": imports go one way). A part imports from its own layer and from those
 * below it, never from one above. Parts that are missing here are an error: add them.
 */
const LAYERS: readonly (readonly string[])[] = [
  ['tools'],
  // The commands for merchants are in the CLI, and share their tools with the others.
  ['scripts', 'packages/cli'],
  // What the demo, the tools and the tests act with: the service in its settings, merchants, payers, receivers,
  // ledgers.
  ['stage'],
  ['scripts/lib'],
  // For developers only: the service loads it if it exists, and is built without it.
  ['devnet'],
  ['src/main.ts', 'src/service'],
  [
    'src/config',
    'src/jobs',
    'src/metrics',
    'src/sandbox',
    'src/api',
    'src/checkout',
    'src/portal',
    'src/letters',
    'src/invoices',
    'src/dashboard',
    'src/staff',
    'src/pages',
    'src/docs',
  ],
  // The endpoint kit, which does not know the APIs that use it.
  ['src/http'],
  ['src/billing'],
  // The documents as values of the domain, and pure functions over them.
  ['src/model'],
  ['src/engine', 'src/chains', 'src/webhooks'],
  ['src/observability'],
  ['src/store'],
  ['src/errors', 'src/package'],
  ['machines'],
  // The texts of the pages, which are data: what the service writes has its names from there.
  ['web/messages'],
  // Published by itself. It knows nothing of the service, and scripts import it as tideline/client.
  ['packages/client'],
];

/** The folders of `src/billing`, from the top: each imports only from those below it. */
const BILLING = [
  'domain.ts',
  'portal',
  'checkout',
  'due',
  'subscriptions',
  'members',
  'refunds',
  'payments',
  'invoices',
  'administration',
  'audit',
  'deposits',
  'customers',
  'offers',
  'coupons',
  'allowances',
  'letters',
  'payout',
  'mandates',
  'routers',
  'resources',
  'events',
  'actors',
  'revenue',
  'receipts',
  'proof',
  'deps.ts',
];

/** Neighbours in one layer that must not import each other. */
const STRANGERS: readonly (readonly [from: string, to: string])[] = [
  ['src/engine', 'src/chains'],
  ['src/engine', 'src/webhooks'],
  ['src/chains', 'src/engine'],
  ['src/chains', 'src/webhooks'],
  ['src/webhooks', 'src/chains'],
  ['src/sandbox', 'src/http'],
  ['src/jobs', 'src/http'],
  ...(
    ['src/config', 'src/jobs', 'src/metrics', 'src/checkout', 'src/portal', 'src/staff', 'src/pages'] as const
  ).flatMap((other) => [['src/api', other] as const, [other, 'src/api'] as const]),
  // The merchant API has the endpoints of the sandbox.
  ['src/sandbox', 'src/api'],
  ['src/checkout', 'src/staff'],
  ['src/staff', 'src/checkout'],
  // The portal shows what a payer has agreed to in the views of the checkout.
  ['src/checkout', 'src/portal'],
  ['src/staff', 'src/portal'],
  ['src/portal', 'src/staff'],
];

/** The only parts that may import a replaceable package. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  // The devnet sets the query planner of a database that it starts, before anybody else connects.
  mongodb: ['src/store/mongo/', 'src/jobs/', 'src/service/', 'devnet/mongo-engine.ts'],
  agenda: ['src/jobs/'],
  '@agendajs/mongo-backend': ['src/jobs/'],
  xstate: ['machines/', 'src/engine/'],
  'prom-client': ['src/metrics/'],
  '@opentelemetry/api': ['src/observability/tracing.ts'],
  express: [
    'src/service/app.ts',
    'src/api/',
    'src/http/',
    'src/staff/',
    'src/checkout/',
    'src/portal/',
    'src/letters/',
    'src/dashboard/',
    'src/pages/',
    'src/docs/',
  ],
  'openapi-fetch': ['packages/client/'],
  nodemailer: ['src/letters/'],
  pdfkit: ['src/invoices/'],
  fontkit: ['src/invoices/'],
  'bidi-js': ['src/invoices/'],
  // Only for the front ends and their build; the service must not need a bundler.
  vite: [],
  preact: [],
};

/**
 * The parts of `machines/` that the engine may know: the frame of every actor and the closed union of effects, no
 * domain.
 */
const ENGINE_KNOWS = ['actor.ts', 'effects.ts', 'json.ts', 'rules/backoff.ts', 'unknown-case.ts', 'versions.ts'].map(
  (file) => `machines/${file}`,
);

interface Import {
  readonly from: string;
  /** A path in the repository, or the name of a package. */
  readonly to: string;
  readonly isPackage: boolean;
  /** A type import, which does not exist at run time. */
  readonly isType: boolean;
}

const FILES = ['machines', 'src', 'devnet', 'packages', 'scripts', 'stage', 'tools'].flatMap(filesIn);

const IMPORTS: readonly Import[] = FILES.flatMap(importsOf);

/** The imports of the front ends. */
const PAGES: readonly Import[] = filesIn('web').flatMap(importsOf);

function filesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((name) => /\.tsx?$/.test(name) && !/\/(?:node_modules|dist)\//.test(name));
}

function importsOf(from: string): Import[] {
  const code = readFileSync(join(ROOT, from), 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '');
  const statements = code.matchAll(/^\s*(?:import|export)\s(?:(type\s)?[^;'"]*?\sfrom\s)?'([^']+)'/gm);
  const calls = code.matchAll(/\bimport\(\s*'([^']+)'\s*\)/g);
  return [
    ...[...statements].map(([, type, to = '']) => importOf(from, to, type !== undefined)),
    ...[...calls].map(([, to = '']) => importOf(from, to, false)),
  ];
}

function importOf(from: string, to: string, isType: boolean): Import {
  if (!to.startsWith('.')) return { from, to: packageOf(to), isPackage: true, isType };
  return { from, to: relative(ROOT, join(ROOT, dirname(from), to)), isPackage: false, isType };
}

function packageOf(specifier: string): string {
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? specifier);
}

/** `src/http`, `src/main.ts`, `packages/client`, `scripts/lib`, `machines`, `devnet`, `scripts`, `stage`, `tools`. */
function partOf(file: string): string {
  if (file.startsWith('scripts/lib/')) return 'scripts/lib';
  const [first = '', second = ''] = file.split('/');
  return ['src', 'packages', 'web'].includes(first) ? `${first}/${second}` : first;
}

function layerOf(part: string): number {
  return LAYERS.findIndex((parts) => parts.includes(part));
}

function said({ from, to }: Import): string {
  return `${from} imports ${to}`;
}

describe('imports', () => {
  it('are found by this test', () => {
    expect(FILES.length).toBeGreaterThan(150);
    expect(IMPORTS.length).toBeGreaterThan(500);
    expect(IMPORTS).toContainEqual({
      from: 'src/main.ts',
      to: 'src/config/config.ts',
      isPackage: false,
      isType: false,
    });
    const unknown = IMPORTS.filter(({ to, isPackage }) => !isPackage && !to.endsWith('.json') && !FILES.includes(to));
    expect(unknown.map(said)).toEqual([]);
  });

  it('belong to parts that are listed', () => {
    expect([...new Set(FILES.map(partOf))].filter((part) => layerOf(part) < 0)).toEqual([]);
  });

  it('go one way: into the same layer or one below, and not between separated neighbours', () => {
    const wrong = IMPORTS.filter(({ from, to, isPackage }) => {
      const [source, target] = [partOf(from), partOf(to)];
      if (isPackage || source === target) return false;
      const isStranger = STRANGERS.some(([one, other]) => one === source && other === target);
      return layerOf(source) > layerOf(target) || isStranger;
    });
    expect(wrong.map(said)).toEqual([]);
  });

  it('of billing go one way, from folder to folder', () => {
    const folderOf = (file: string): string => file.split('/')[2] ?? file;
    const rank = (file: string): number => BILLING.indexOf(folderOf(file));
    const files = FILES.filter((file) => file.startsWith('src/billing/'));
    const inside = IMPORTS.filter(({ from, to }) => files.includes(from) && files.includes(to));
    expect([...new Set(files.map(folderOf))].sort()).toEqual([...BILLING].sort());
    expect(inside.filter(({ from, to }) => rank(from) > rank(to)).map(said)).toEqual([]);
  });

  it('form no circles among files, types included', () => {
    const targets = new Map<string, string[]>();
    for (const { from, to, isPackage } of [...IMPORTS, ...PAGES]) {
      if (!isPackage) targets.set(from, [...(targets.get(from) ?? []), to]);
    }
    const circles: string[] = [];
    const done = new Set<string>();
    const visit = (file: string, path: readonly string[]): void => {
      const start = path.indexOf(file);
      if (start >= 0) circles.push([...path.slice(start), file].join(' → '));
      if (start >= 0 || done.has(file)) return;
      for (const next of targets.get(file) ?? []) visit(next, [...path, file]);
      done.add(file);
    };
    for (const file of targets.keys()) visit(file, []);
    expect(circles).toEqual([]);
  });

  it('of the machines are only xstate, zod and each other', () => {
    const foreign = IMPORTS.filter(({ from, to }) => from.startsWith('machines/') && partOf(to) !== 'machines');
    expect([...new Set(foreign.map(({ to }) => to))].sort()).toEqual(['xstate', 'zod']);
  });

  it('of the engine know no domain: no machine, only the frame that all share', () => {
    const known = IMPORTS.filter(({ from, to }) => from.startsWith('src/engine/') && to.startsWith('machines/'));
    expect(known.filter(({ to }) => !ENGINE_KNOWS.includes(to)).map(said)).toEqual([]);
    const registry = known.filter(({ to, isType }) => to === 'machines/versions.ts' && !isType);
    expect(registry.map(said)).toEqual([]);
  });

  it.each(Object.entries(PACKAGES))('of %s are only in their listed parts', (name, places) => {
    const wrong = IMPORTS.filter(
      ({ from, to, isPackage }) => isPackage && to === name && !places.some((place) => from.startsWith(place)),
    );
    expect(wrong.filter(({ from }) => !/^(scripts|stage|tools|packages\/cli)\//.test(from)).map(said)).toEqual([]);
  });
});

describe('the chain families', () => {
  const STAGES = [
    ...['strategy', 'simulate', 'sort', 'send', 'sign', 'ledger', 'broadcast'].map((stage) => `sender/${stage}.ts`),
    ...['strategy', 'ask', 'agree', 'settle', 'abandon'].map((stage) => `reconciler/${stage}.ts`),
    'reconcile-existing.ts',
    'logs/watcher.ts',
  ];

  it.each(['evm', 'solana'])('have each stage of a charge in a file of the same name: %s', (family) => {
    const missing = STAGES.filter((stage) => !FILES.includes(`src/chains/${family}/${stage}`));
    expect(missing).toEqual([]);
  });

  it('import nothing from each other', () => {
    const families = ['evm', 'solana'].map((family) => `src/chains/${family}/`);
    const wrong = IMPORTS.filter(({ from, to }) => {
      const source = families.find((family) => from.startsWith(family));
      return source !== undefined && families.some((family) => family !== source && to.startsWith(family));
    });
    expect(wrong.map(said)).toEqual([]);
  });
});

/** The shapes of the APIs that the pages read. */
const WIRE = ['src/checkout/wire.ts', 'src/dashboard/wire.ts', 'src/portal/wire.ts', 'src/staff/wire.ts'];

/** The shapes of the merchant API, which the dashboard reads too. */
const MERCHANT_API = 'packages/client/src/schema.ts';

describe('the front ends', () => {
  it('import only each other, machines, the types of the APIs, and the few bundled packages', () => {
    const PACKAGED = [
      '@noble/hashes',
      '@wallet-standard/app',
      '@xstate/store',
      'bs58',
      'intl-messageformat',
      'mipd',
      'preact',
      'uqr',
      'xstate',
    ];
    // Large ones, each loaded when it is picked: keys of the local chain, and wallets on other devices.
    const LATE = new Map([
      ['ethers', 'web/pay/wallets/key-provider.ts'],
      ['@walletconnect/sign-client', 'web/pay/wallets/walletconnect-client.ts'],
    ]);
    const wrong = PAGES.filter(({ from, to, isPackage, isType }) => {
      if (isPackage) return !PACKAGED.includes(to) && LATE.get(to) !== from;
      if (isType && (WIRE.includes(to) || to === MERCHANT_API)) return false;
      return !to.startsWith('web/') && !to.startsWith('machines/');
    });
    expect(PAGES.length).toBeGreaterThan(100);
    expect(wrong.map(said)).toEqual([]);
  });

  it.each(WIRE)('read %s, which imports schemas and machines alone', (file) => {
    const wrong = importsOf(file).filter(
      ({ to }) => !/^(?:zod|machines\/.*|src\/http\/schemas\.ts|src\/(?:checkout|staff)\/wire\.ts)$/.test(to),
    );
    expect(wrong.map(said)).toEqual([]);
  });
});

describe('types', () => {
  it('are checked in every file', () => {
    const checked = ['tsconfig.json', 'web/tsconfig.json'].flatMap((file) => {
      const config = ts.readConfigFile(join(ROOT, file), ts.sys.readFile).config;
      return ts.parseJsonConfigFileContent(config, ts.sys, dirname(join(ROOT, file))).fileNames;
    });
    const own = new Set(checked.map((file) => relative(ROOT, file)));
    expect([...FILES, ...filesIn('web'), ...filesIn('test')].filter((file) => !own.has(file))).toEqual([]);
  });
});

describe('the environment', () => {
  it('is read in one place and passed down', () => {
    const readers = FILES.filter((file) => /\bprocess\.env\b(?!\[['"][A-Z_]+['"]\] = )/.test(codeOf(file)));
    expect(readers.filter((file) => !/^(scripts|stage|tools|packages\/cli)\//.test(file))).toEqual(['src/main.ts']);
  });
});

describe('the ledger', () => {
  const MAY = /^src\/(store|chains|service|billing\/(deps|domain|(deposits|payments\/effects|payout|routers)\/.*)\.ts)/;

  it('is given to chains, and in billing to effects of workers and to refunds, which do without it', () => {
    const named = FILES.filter((file) => /'ledger'|\.ledger\b|\bLedger|\bWorkerDeps\b/.test(codeOf(file)));
    expect(named.filter((file) => file.startsWith('src/') && !MAY.test(file))).toEqual([]);
  });
});

function codeOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8')
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/\/\/.*$/gm, '');
}
