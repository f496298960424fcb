import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { z } from 'zod';
import { packageRoot } from '../../src/package/root.ts';
import type { ServiceProcess } from '../../stage/processes.ts';
import { temporaryFolder } from '../runner/after.ts';
import { createTestMerchant } from '../support/merchant.ts';
import { installInto, type Runtime, type RuntimeName, runtime, tarballOf } from '../support/packed.ts';
import { startServiceProcess } from '../support/service.ts';

/** `@tideline/client` as a merchant has it: packed, installed in an empty folder, and run beside a service. */

const run = promisify(execFile);

const MINUTES_MS = 60_000;

const temporary = await temporaryFolder();
const shop = join(temporary, 'shop');
const RUNTIMES: readonly RuntimeName[] = ['Node 18', 'Node 20.19', 'Node 22', 'Node 24', 'Bun', 'Deno'];
const runtimes = new Map<RuntimeName, Runtime>();
for (const name of [...RUNTIMES, 'workerd'] as const) {
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

afterAll(() => service?.stop());

/** A shop that calls the API, is refused, and verifies a webhook in both ways. */
const STORY = `
  const tideline = client.createClient({ apiKey, baseUrl });
  const { id } = await tideline.customers.create({ name: 'Ada' });
  const { name } = await tideline.customers.get(id);
  const refused = await tideline.offers.get('offer_none').catch((error) => error instanceof client.TidelineError && error.status);
  const event = { event: 'customer.deleted', data: { customerId: id } };
  const secret = 'whsec_b2YgYSB0ZXN0';
  const signed = await webhooks.signTestWebhook(event, secret).catch((error) => String(error));
  const later = signed.headers ? await webhooks.verifyWebhook(signed.body, signed.headers, secret, { mode: 'test' }) : signed;
`;

const NODE_STORY = `
  const { TIDELINE_API_KEY: apiKey, TIDELINE_URL: baseUrl } = process.env;
  ${STORY}
  const { body, headers } = node.signTestWebhook(event, secret);
  const now = node.verifyWebhook(body, headers, secret, { mode: 'test' });
  console.log(JSON.stringify({ name, refused, now: now.event, later: later.event ?? later }));
`;

const TOLD = { name: 'Ada', refused: 404, now: 'customer.deleted', later: 'customer.deleted' };

const IMPORTS = `
  import * as client from '@tideline/client';
  import * as webhooks from '@tideline/client/webhooks';
`;

const WEB_RESULT = 'JSON.stringify({ name, refused, later: later.event })';

const TOLD_ON_THE_WEB = { name: 'Ada', refused: 404, later: 'customer.deleted' };

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
    const text = await bundled(
      `${IMPORTS} globalThis.told = (async () => { ${STORY} return ${WEB_RESULT}; })();`,
      'iife',
    );
    expect(text.includes('node:')).toBe(false);
    expect(text.length).toBeLessThan(25_000);
    expect(await runInPage(text)).toEqual(TOLD_ON_THE_WEB);
  });

  (runtimes.has('workerd') ? it : it.skip)('works bundled for the edge, in workerd', async () => {
    const script = await bundled(
      `${IMPORTS} export default { async fetch(request, { apiKey, baseUrl }) { ${STORY} return new Response(${WEB_RESULT}); } };`,
      'esm',
    );
    expect(await runAtTheEdge(script)).toEqual(TOLD_ON_THE_WEB);
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
    'are a project of their own that packs the client',
    async () => {
      const project = join(temporary, 'examples');
      await cp(join(packageRoot(), 'examples'), project, { recursive: true });
      await symlink(join(packageRoot(), 'packages'), join(temporary, 'packages'));
      const { PATH, HOME } = process.env;
      await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline'], {
        cwd: project,
        env: { PATH, HOME },
      });
      const example = spawn(process.execPath, ['--import', 'tsx', 'express.ts'], {
        cwd: project,
        env: { PATH: process.env['PATH'], ...environment, PORT: '0' },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [said] = await once(example.stdout, 'data').finally(() => example.kill());
      expect(String(said)).toBe('the shop is open\n');
    },
    3 * MINUTES_MS,
  );
});

/** One script with everything that it imports, for a browser. Fails if it needs anything from outside. */
async function bundled(code: string, format: 'iife' | 'esm'): Promise<string> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: shop },
    bundle: true,
    minify: true,
    format,
    platform: 'browser',
    write: false,
    metafile: true,
    logLevel: 'error',
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  expect(imports.filter(({ external }) => external)).toEqual([]);
  return outputFiles[0]?.text ?? '';
}

/** The answer of a script that serves in workerd. */
async function runAtTheEdge(script: string): Promise<unknown> {
  const folder = join(temporary, 'edge');
  await mkdir(folder);
  await writeFile(join(folder, 'shop.js'), script);
  const binding = (name: string, text = '') => `(name = "${name}", text = ${JSON.stringify(text)})`;
  const bindings = [
    binding('apiKey', environment['TIDELINE_API_KEY']),
    binding('baseUrl', environment['TIDELINE_URL']),
  ];
  await writeFile(
    join(folder, 'config.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
    const config :Workerd.Config = (
      services = [
        (name = "shop", worker = (modules = [(name = "shop.js", esModule = embed "shop.js")], compatibilityDate = "2025-01-01",
          bindings = [${bindings.join(', ')}], globalOutbound = "net")),
        (name = "net", network = (allow = ["private"])),
      ],
      sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "shop")],
    );`,
  );
  const [program = '', ...args] = runtimes.get('workerd')?.command ?? [];
  const child = spawn(program, [...args, join(folder, 'config.capnp'), '--control-fd=3'], {
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  });
  try {
    const control = child.stdio[3];
    if (!control) throw new Error('workerd has no control channel');
    const [said] = await once(control, 'data');
    const { port } = z.object({ event: z.literal('listen'), port: z.int() }).parse(JSON.parse(String(said)));
    return await (await fetch(`http://127.0.0.1:${port}/`)).json();
  } finally {
    child.kill('SIGKILL');
    await once(child, 'close');
  }
}

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
