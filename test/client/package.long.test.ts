import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { packageRoot } from '../../src/package/root.ts';
import type { ServiceProcess } from '../../tools/lib/service-process.ts';
import { createTestMerchant } from '../support/merchant.ts';
import { install, installInto, type Runtime, type RuntimeName, runtime, tarballOf } from '../support/packed.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { startServiceProcess } from '../support/service.ts';

/** `@tideline/client` as a merchant has it: packed, installed in an empty folder, and run beside a service. */

const run = promisify(execFile);

const MINUTES_MS = 60_000;

const temporary = await mkdtemp(join(tmpdir(), 'tideline-client-'));
const shop = join(temporary, 'shop');
const RUNTIMES: readonly RuntimeName[] = ['Node 18', 'Node 20.19', 'Node 22', 'Node 24', 'Bun', 'Deno'];
const runtimes = new Map<RuntimeName, Runtime>();
for (const name of RUNTIMES) {
  const found = await runtime(name, temporary);
  if (found) runtimes.set(name, found);
}

let tarball: string;
let service: ServiceProcess;
let environment: Readonly<Record<string, string>>;

beforeAll(async () => {
  tarball = await tarballOf('client', temporary);
  await installInto(shop, [tarball, '@types/node@20']);
  const dataDir = join(temporary, 'data');
  service = await startServiceProcess({ dataDir });
  const { testKey } = await createTestMerchant(() => service, dataDir);
  environment = { TIDELINE_API_KEY: testKey, TIDELINE_URL: `${service.url}/v1` };
}, 5 * MINUTES_MS);

afterAll(async () => {
  await service?.stop();
  await removeFolder(temporary);
});

/** A shop that calls the API, is refused, and verifies a webhook in both ways. */
const STORY = `
  const tideline = client.createClient({ apiKey, baseUrl });
  const { id } = await tideline.customers.create({ name: 'Ada' });
  const { name } = await tideline.customers.get(id);
  const refused = await tideline.offers.get('offer_none').catch((error) => error instanceof client.TidelineError && error.status);
  const event = { event: 'customer.deleted', data: { customerId: id } };
  const secret = 'whsec_b2YgYSB0ZXN0';
  const signed = await webhooks.signTestWebhook(event, secret).catch((error) => String(error));
  const later = signed.headers ? await webhooks.verifyWebhook(signed.body, signed.headers, secret) : signed;
`;

const NODE_STORY = `
  const { TIDELINE_API_KEY: apiKey, TIDELINE_URL: baseUrl } = process.env;
  ${STORY}
  const { body, headers } = node.signTestWebhook(event, secret);
  const now = node.verifyWebhook(body, headers, secret);
  console.log(JSON.stringify({ name, refused, now: now.event, later: later.event ?? later }));
`;

const TOLD = { name: 'Ada', refused: 404, now: 'customer.deleted', later: 'customer.deleted' };

const SHOPS = {
  'shop.mjs': `
    import * as client from '@tideline/client';
    import * as node from '@tideline/client/node';
    import * as webhooks from '@tideline/client/webhooks';
    ${NODE_STORY}`,
  'shop.cjs': `
    const client = require('@tideline/client');
    const node = require('@tideline/client/node');
    const webhooks = require('@tideline/client/webhooks');
    (async () => { ${NODE_STORY} })();`,
} as const;

async function told(name: RuntimeName, file: keyof typeof SHOPS): Promise<unknown> {
  const [program = '', ...args] = runtimes.get(name)?.command ?? [];
  await writeFile(join(shop, file), SHOPS[file]);
  const { stdout } = await run(program, [...args, file], { cwd: shop, env: { ...environment, HOME: temporary } });
  return JSON.parse(stdout);
}

describe('the packed package @tideline/client', () => {
  it('brings one package with one of its own, and nothing else', async () => {
    const names = await readdir(join(shop, 'node_modules'));
    expect(names.filter((name) => !/^\.|^@types$|^undici-types$/.test(name))).toEqual([
      '@tideline',
      'openapi-fetch',
      'openapi-typescript-helpers',
    ]);
    expect(await readdir(join(shop, 'node_modules/@tideline/client'))).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'dist',
      'node',
      'package.json',
      'webhooks',
    ]);
  });

  it.each(['publint run --strict', 'attw --no-definitely-typed --format ascii'])('passes %s', async (command) => {
    const [name = '', ...args] = command.split(' ');
    await run(process.execPath, [join(packageRoot(), 'node_modules/.bin', name), ...args, tarball]);
  });

  for (const name of RUNTIMES) {
    const itThere = runtimes.has(name) ? it : it.skip;
    const expected = name === 'Node 18' ? { ...TOLD, later: expect.stringContaining('no WebCrypto') } : TOLD;
    itThere(`works by import in ${name}`, async () => {
      expect(await told(name, 'shop.mjs')).toEqual(expected);
    });
    itThere(`works by require in ${name}`, async () => {
      expect(await told(name, 'shop.cjs')).toEqual(expected);
    });
  }

  it('works bundled for a browser, without Node, and is small', async () => {
    const code = `
      import * as client from '@tideline/client';
      import * as webhooks from '@tideline/client/webhooks';
      globalThis.told = (async () => { ${STORY} return JSON.stringify({ name, refused, later: later.event }); })();`;
    const { outputFiles, metafile } = await build({
      stdin: { contents: code, resolveDir: shop },
      bundle: true,
      minify: true,
      format: 'iife',
      platform: 'browser',
      write: false,
      metafile: true,
      logLevel: 'error',
    });
    const text = outputFiles[0]?.text ?? '';
    const outside = Object.values(metafile.outputs).flatMap(({ imports }) =>
      imports.filter(({ external }) => external),
    );
    expect(outside).toEqual([]);
    expect(text.includes('node:')).toBe(false);
    expect(text.length).toBeLessThan(25_000);
    expect(await runInPage(text)).toEqual({ name: 'Ada', refused: 404, later: 'customer.deleted' });
  });

  it.each([
    ['typescript', 'node16', 'cts'],
    ['typescript', 'node16', 'mts'],
    ['typescript', 'nodenext', 'mts'],
    ['typescript', 'bundler', 'ts'],
    ['typescript-native', 'node16', 'cts'],
    ['typescript-native', 'node16', 'mts'],
    ['typescript-native', 'nodenext', 'mts'],
    ['typescript-native', 'bundler', 'ts'],
  ] as const)('has types for %s with the module resolution %s in a file .%s', typesFor, 3 * MINUTES_MS);
});

describe('the examples', () => {
  it(
    'are a project of their own, with the packed client',
    async () => {
      const project = join(temporary, 'examples');
      await cp(join(packageRoot(), 'examples'), project, { recursive: true });
      await install(project, [tarball]);
      const { stdout } = await run('npm', ['run', '--silent', 'story'], {
        cwd: project,
        env: { PATH: process.env['PATH'], HOME: temporary, ...environment },
      });
      expect(stdout).toMatch(/^verified {7}\d+ webhooks, 0 refused$/m);
    },
    3 * MINUTES_MS,
  );
});

/** The globals of browsers that are not of the language. */
const WEB = [
  ...[
    'AbortController',
    'AbortSignal',
    'atob',
    'btoa',
    'clearTimeout',
    'crypto',
    'fetch',
    'FormData',
    'Headers',
    'Request',
  ],
  ...['Response', 'setTimeout', 'TextDecoder', 'TextEncoder', 'URL', 'URLSearchParams'],
];

/** Runs a script where only these are. Its `told` has the result. */
async function runInPage(script: string): Promise<unknown> {
  const page = createContext({
    ...Object.fromEntries(WEB.map((name) => [name, Reflect.get(globalThis, name)])),
    // Those of the other globals: bytes of another realm would not be bytes to them.
    Uint8Array: globalThis.Uint8Array,
    apiKey: environment['TIDELINE_API_KEY'],
    baseUrl: environment['TIDELINE_URL'],
  });
  runInContext(script, page);
  return JSON.parse(await runInContext('told', page));
}

/** Compiles test/client/typed-usage.ts, strictly, declarations of packages too. */
async function typesFor(
  compiler: 'typescript' | 'typescript-native',
  moduleResolution: 'node16' | 'nodenext' | 'bundler',
  extension: 'cts' | 'mts' | 'ts',
): Promise<void> {
  const isBrowser = moduleResolution === 'bundler';
  const file = `typed-usage.${extension}`;
  await cp(join(packageRoot(), 'test/client/typed-usage.ts'), join(shop, file));
  const config = {
    compilerOptions: {
      target: 'ES2022',
      lib: isBrowser ? ['ES2022', 'DOM'] : ['ES2022'],
      module: isBrowser ? 'preserve' : moduleResolution,
      moduleResolution,
      types: isBrowser ? [] : ['node'],
      strict: true,
      skipLibCheck: false,
      noEmit: true,
    },
    files: [file],
  };
  const project = join(shop, `tsconfig.${compiler}.${moduleResolution}.${extension}.json`);
  await writeFile(project, JSON.stringify(config));
  const { bin } = JSON.parse(await readFile(join(packageRoot(), `node_modules/${compiler}/package.json`), 'utf8'));
  const program = join(packageRoot(), 'node_modules', compiler, bin.tsc);
  const said = await run(process.execPath, [program, '-p', project]).then(
    () => '',
    ({ stdout }) => stdout,
  );
  expect(said).toBe('');
}
