import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { cp, symlink } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { packageRoot } from '../../src/package/root.ts';
import { type Environment, ServiceProcesses, untilReady } from '../../stage/processes.ts';
import { afterEachFile, temporaryFolder } from '../runner/after.ts';
import { startTestDevnet } from '../support/devnet.ts';
import { namesIn, pathOf, read } from '../support/repository.ts';

const run = promisify(execFile);

/** A folder with `dist/` by `npm run build`, and only the packages of the repository. */
const folder = await temporaryFolder();
const dist = join(folder, 'dist');
const services = new ServiceProcesses([join(dist, 'src/main.js')]);

/** Types are not checked, and the pages are not built. */
beforeAll(async () => {
  const root = packageRoot();
  await run(process.execPath, ['--import', 'tsx', 'scripts/build.ts', 'dist', '--out', dist], { cwd: root });
  await cp(join(root, 'package.json'), join(folder, 'package.json'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
}, 180_000);

afterEachFile(() => services.killAll());

const COMMANDS = [...read('scripts/ops.ts').matchAll(/^ {2}'?([a-z-]+)'?: \{/gm)].map(([, name = '']) => name);

/** As in the image (Dockerfile). */
const IMAGE = { NODE_ENV: 'production', LOCAL_DEVNETS: 'off', WEBHOOK_ALLOW_LOOPBACK: '0', PLATFORM_FEE_BPS: '0' };

const spawn = (env: Environment) => services.spawn({ dataDir: join(folder, 'data'), env: { ...IMAGE, ...env } });

const MISSING =
  'Tideline cannot start: This build has no embedded database, no local chains and no fault injection: set MONGODB_URI and ' +
  'LOCAL_DEVNETS=off, and leave FAULTS and FAULTS_REPORT unset, or run `npm start` in the repository\n';

/** The programs and their shared chunks, as paths below `dist/`. */
function bundled(): string[] {
  const names = readdirSync(dist, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.js')).map((name) => name.replaceAll('\\', '/'));
}

/** The files that went into the bundle, as paths from the root of the repository. */
function sources(): string[] {
  const map = z.object({ sources: z.array(z.string()) });
  const found = bundled().flatMap((name) => {
    const listed = map.parse(JSON.parse(readFileSync(join(dist, `${name}.map`), 'utf8'))).sources;
    return listed.map((source) => relative(packageRoot(), resolve(dist, dirname(name), source)));
  });
  return [...new Set(found)];
}

describe('the output of npm run build', () => {
  it('contains the service, its machines and the commands of operators: no tools, no devnets', () => {
    expect(readdirSync(dist).toSorted()).toEqual(['chunks', 'scripts', 'src']);
    const programs = bundled().filter((name) => dirname(name) !== 'chunks');
    expect(programs.toSorted()).toEqual(['scripts/ops.js', 'src/main.js']);
    const folders = new Set(sources().map((name) => name.split('/')[0]));
    expect([...folders].toSorted()).toEqual(['machines', 'node_modules', 'packages', 'scripts', 'src']);
  });

  it('has each module once, in few files', () => {
    const code = bundled().map((name) => readFileSync(join(dist, name), 'utf8'));
    expect(code.filter((text) => text.includes('This build has no embedded database'))).toHaveLength(1);
    expect(code.length).toBeLessThan(150);
  });

  it('has every program that documents and deployments name', () => {
    const named = documentedPrograms();
    expect(named.toSorted()).toEqual(['dist/scripts/ops.js', 'dist/src/main.js']);
    const names = new Set(bundled());
    expect(named.filter((path) => !names.has(relative('dist', path)))).toEqual([]);
  });

  it.each(COMMANDS)('runs %s', async (name) => {
    const { stdout } = await run(process.execPath, [join(dist, 'scripts/ops.js'), name, '--help']);
    expect(stdout).toContain(`npm run ops -- ${name}`);
  });

  it.each([
    ['scripts/ops.js', 'scripts\\/lib\\/script\\.ts'],
    // Node prints this one: it is not caught.
    ['src/main.js', 'src\\/main\\.ts'],
  ])('%s names the sources in its stack traces', async (program, source) => {
    const failing = `data:text/javascript,process.stdout.write = () => { throw new Error('a full disk'); };`;
    const { stderr } = await failureOf(['--import', failing, join(dist, program), '--help']);
    expect(stderr).toMatch(new RegExp(`Error: a full disk\\n.*\\n +at .*${source}:\\d+:\\d+`));
  });

  it('can inject no fault', () => {
    const injecting = bundled().filter((name) =>
      /fault injected|'SIGKILL'|"SIGKILL"/.test(readFileSync(join(dist, name), 'utf8')),
    );
    expect(injecting).toEqual([]);
  });
});

/** The programs that documents, charts and the Dockerfile name by their paths. */
function documentedPrograms(): string[] {
  const names = [...namesIn('docs'), ...namesIn('deploy'), 'Dockerfile', 'compose.yaml', 'README.md'];
  const texts = names.filter((name) => statSync(pathOf(name)).isFile()).map(read);
  return [...new Set(texts.flatMap((text) => text.match(/dist\/(?:src|scripts)\/[a-z-]+\.js/g) ?? []))];
}

const failure = z.object({ code: z.number(), stderr: z.string() });

async function failureOf(args: readonly string[]): Promise<z.output<typeof failure>> {
  return failure.parse(await run(process.execPath, [...args]).catch((error: unknown) => error));
}

describe('the service of npm run build', () => {
  it('serves a given database, and exits with 0 at SIGTERM', async () => {
    const { mongoUri } = await startTestDevnet();
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
