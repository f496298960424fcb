import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../src/package/root.ts';
import { type Environment, ServiceProcesses, untilReady } from '../../tools/lib/service-process.ts';
import { startTestDevnet } from '../support/devnet.ts';
import { BUILD_MS, npmBuild } from '../support/npm-build.ts';
import { removeFolder } from '../support/remove-folder.ts';

const run = promisify(execFile);

/** A folder with `dist/` by `npm run build`, and only the packages of the repository. */
let folder: string;
let dist: string;
let services: ServiceProcesses;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tideline-built-'));
  dist = join(folder, 'dist');
  await npmBuild(folder);
  await symlink(join(packageRoot(), 'node_modules'), join(folder, 'node_modules'));
  services = new ServiceProcesses([join(dist, 'src/main.js')]);
}, BUILD_MS);

afterAll(async () => {
  await services.killAll();
  await removeFolder(folder);
});

/** As in the image (Dockerfile). */
const IMAGE = { NODE_ENV: 'production', LOCAL_DEVNETS: 'off', WEBHOOK_ALLOW_LOOPBACK: '0', PLATFORM_FEE_BPS: '0' };

const spawn = (env: Environment) => services.spawn({ dataDir: join(folder, 'data'), env: { ...IMAGE, ...env } });

const MISSING =
  'Tideline cannot start: This build has no embedded database, no local chains and no fault injection: set MONGODB_URI and ' +
  'LOCAL_DEVNETS=off, and leave FAULTS and FAULTS_REPORT unset, or run `npm start` in the repository\n';

/** Paths below `dist/`. */
function compiled(): string[] {
  const names = readdirSync(dist, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.js')).map((name) => name.replaceAll('\\', '/'));
}

describe('the output of npm run build', () => {
  it('contains the service, its machines and the commands of operators: no tools, no devnets', () => {
    expect(readdirSync(dist).toSorted()).toEqual(['machines', 'packages', 'scripts', 'src']);
    const scripts = compiled().filter((name) => dirname(name) === 'scripts');
    expect(scripts.map((name) => name.slice('scripts/'.length, -'.js'.length)).toSorted()).toEqual([
      'addresses',
      'audit',
      'doctor',
      'merchant',
      'migrate',
      'repl',
      'replay',
      'staff',
      'verify-proof',
      'webhooks',
    ]);
  });

  it('imports only compiled files', () => {
    const names = new Set(compiled());
    const imports = [...names].flatMap((name) => {
      const code = readFileSync(join(dist, name), 'utf8');
      const found = code.matchAll(/(?:from |^import |\bimport\()'(\.[^']+\.js)'/gm);
      return [...found].map(([, to = '']) => ({ name, to: join(dirname(name), to) }));
    });
    expect(imports.length).toBeGreaterThan(500);
    expect(imports.filter(({ to }) => !names.has(to))).toEqual([]);
  });

  it.each(['webhooks', 'verify-proof'])('runs %s, which needs the client and the CLI', async (name) => {
    const { stdout } = await run(process.execPath, [join(dist, `scripts/${name}.js`), '--help']);
    expect(stdout).toContain(`npm run ${name} -- `);
  });

  it('can inject no fault', () => {
    const injecting = compiled().filter((name) =>
      /fault injected|'SIGKILL'/.test(readFileSync(join(dist, name), 'utf8')),
    );
    expect(injecting).toEqual([]);
  });
});

describe('the service of npm run build', () => {
  it('serves a given database, and exits with 0 at SIGTERM', async () => {
    const { mongoUri } = await startTestDevnet({ mongo: true, evm: false });
    const service = await spawn({ MONGODB_URI: mongoUri });
    await untilReady(service);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
  });

  it.each([
    ['the embedded database', {}],
    ['local chains', { MONGODB_URI: 'mongodb://127.0.0.1:1', LOCAL_DEVNETS: 'on' }],
    ['fault injection', { MONGODB_URI: 'mongodb://127.0.0.1:1', FAULTS: 'commit.after=kill' }],
  ])('names the missing part for %s, and exits with 1', async (_, env) => {
    const service = await spawn(env);
    expect(await service.exited).toEqual({ code: 1, signal: null });
    // After the steps of the start, which are lines of JSON.
    const [said = '', ...steps] = service.log().trimEnd().split('\n').reverse();
    expect(`${said}\n`).toBe(MISSING);
    for (const step of steps) expect(JSON.parse(step)).toMatchObject({ level: 'info' });
  });
});
