import { execFile, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { chmod, lstat, mkdtemp, readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { freePort } from '../../scripts/lib/free-port.ts';
import { packageRoot } from '../../src/package/root.ts';
import { removeFolder } from '../../stage/remove-folder.ts';
import { until } from '../../stage/until.ts';
import { FaultyLine } from '../store/support/faulty-line.ts';
import { startTestDevnet } from '../support/devnet.ts';
import { carryOut, readDockerfile, type Stage } from '../support/dockerfile.ts';
import { runtime } from '../support/packed.ts';

const run = promisify(execFile);
const BUILD_MS = 600_000;
const MIB = 1 << 20;

/** Has a folder for `/app` of each stage; the last stage's is `app`. */
let folder: string;
let node: string;
let stages: readonly Stage[];
let files: readonly string[];

const folderOf = (stage: string): string => join(folder, stage === '' ? 'app' : stage);
const inApp = (...names: string[]): string => join(folderOf(''), ...names);
const isRoot = process.getuid?.() === 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tideline-image-'));
  await chmod(folder, 0o755);
  node = await nodeOfImage();
  const env = {
    PATH: [dirname(node), process.env['PATH']].join(delimiter),
    HOME: process.env['HOME'],
    npm_config_prefer_offline: 'true',
    // Where the network has a certificate authority of its own, npm needs it for what its cache lacks.
    NODE_EXTRA_CA_CERTS: process.env['NODE_EXTRA_CA_CERTS'],
  };
  stages = await readDockerfile();
  for (const stage of stages.slice(0, -1)) await carryOut(stage, folderOf, env);
  const last = stages.at(-1);
  if (last === undefined) throw new Error('the Dockerfile has no stage');
  // One command deletes programs of the base image, which are below / and not below /app.
  const own = last.instructions.filter(({ name, rest }) => name !== 'RUN' || !rest.startsWith('rm -rf /usr/local'));
  if (!isRoot) process.stderr.write('\nSKIPPED: the compiled code of user 1000: this test does not run as root\n\n');
  const possible = own.filter(({ name }) => name !== 'RUN' || isRoot);
  await carryOut({ ...last, instructions: possible }, folderOf, { ...env, ...variables() });
  const entries = readdirSync(inApp(), { recursive: true, withFileTypes: true });
  files = entries
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => relative(inApp(), join(parentPath, name)));
}, BUILD_MS);

afterAll(async () => {
  await run('chmod', ['-R', 'u+w', folder]);
  await removeFolder(folder);
});

/** The Node of the base image's major version; where npm has none for this system, the one that runs this test. */
async function nodeOfImage(): Promise<string> {
  const found = await runtime('Node 24', folder);
  if (found !== null) return found.command[0];
  process.stderr.write(`\nNode 24 cannot be had here: the image is built with ${process.version}\n\n`);
  return process.execPath;
}

const restOf = (instruction: string): string[] =>
  (stages.at(-1)?.instructions ?? []).filter(({ name }) => name === instruction).map(({ rest }) => rest);
/** The variables of the image. */
function variables(): Record<string, string> {
  const pairs = restOf('ENV').flatMap((line) => line.split(' ').map((pair) => pair.split('=')));
  return Object.fromEntries(pairs.map(([name, value = '']) => [name, value.replace(/^\/app\//, `${inApp()}/`)]));
}

const command = (text = ''): string[] => z.array(z.string()).parse(JSON.parse(text));

describe('the commands of the Dockerfile', () => {
  it('leave only what runs', () => {
    const manifests = files.filter((name) => /^node_modules\/(?:@[^/]+\/)?[^@/]+\/package\.json$/.test(name));
    const packages = manifests.map((name) => dirname(relative('node_modules', name)));
    expect(packages).toEqual(expect.arrayContaining(['express', '@solana/web3.js', 'ethers']));
    expect(files.filter((name) => /^node_modules\/ethers\/(?!node_modules\/)/.test(name)).toSorted()).toEqual([
      'node_modules/ethers/LICENSE.md',
      'node_modules/ethers/package.json',
    ]);
    expect(
      packages.filter((name) => /^(?:typescript|tsx|jest|vite|esbuild|litesvm|@tideline\/.*)$/.test(name)),
    ).toEqual([]);
    const others = files.filter((name) => !/^dist\/.*\.js\.map$/.test(name));
    expect(others.filter((name) => /\.(?:[cm]?ts|map|node)$|\.test\.js$|\/(?:tests?|__tests__)\//.test(name))).toEqual(
      [],
    );
    expect(files).toEqual(expect.arrayContaining(['dist/src/main.js', 'sbom.cdx.json', 'LICENSE']));
    expect(files.filter((name) => /\/embed\.js(?:\.br|\.gz)?$/.test(name))).toHaveLength(3);
  });

  it('keep the licence of every package that has one', async () => {
    const isLicence = (name: string) => /^node_modules\/.*\/licen[cs]e[^/]*$/i.test(name);
    const before = readdirSync(join(packageRoot(), 'node_modules/pino'));
    expect(before).toContain('LICENSE');
    expect(files).toContain('node_modules/pino/LICENSE');
    expect(files.filter(isLicence).length).toBeGreaterThan(150);
  });

  it('keep the fonts that invoices need, and no other', async () => {
    const source = await readFile(join(packageRoot(), 'src/invoices/fonts.ts'), 'utf8');
    const needed = [...source.matchAll(/'(@embedpdf[^']+)'/g)].map(([, file]) => `node_modules/${file}`);
    expect(needed).toHaveLength(3);
    expect(files.filter((name) => /\.(?:otf|ttf)$/.test(name)).toSorted()).toEqual(needed.toSorted());
  });

  it('make less than 45 MiB of files', async () => {
    const sizes = await Promise.all(files.map(async (name) => (await lstat(inApp(name))).size));
    const total = sizes.reduce((sum, size) => sum + size, 0);
    expect(total / MIB).toBeLessThan(45);
  });

  it('write a bill of materials that names every installed package', async () => {
    const bill = z
      .object({
        bomFormat: z.literal('CycloneDX'),
        metadata: z.object({ component: z.object({ purl: z.string() }) }),
        components: z.array(z.object({ group: z.string().optional(), name: z.string(), version: z.string() })),
      })
      .parse(JSON.parse(await readFile(inApp('sbom.cdx.json'), 'utf8')));
    const listed = new Set(bill.components.map(({ name, version }) => `${name}@${version}`));
    const { packages } = z
      .object({ packages: z.record(z.string(), z.object({ version: z.string() })) })
      .parse(JSON.parse(await readFile(inApp('node_modules/.package-lock.json'), 'utf8')));
    const installed = Object.entries(packages).map(
      ([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`,
    );
    expect(installed.length).toBeGreaterThan(150);
    expect([...listed].toSorted()).toEqual([...new Set(installed)].toSorted());
    expect(bill.metadata.component.purl).toMatch(/^pkg:npm\/tideline@/);
  });

  it('leave every package that the bundle does not contain loadable', async () => {
    const sources = files.filter((name) => /^dist\/(?!web\/).*\.js$/.test(name));
    const texts = await Promise.all(sources.map((name) => readFile(inApp(name), 'utf8')));
    const found = texts.flatMap((text) => [
      ...text.matchAll(/(?:\bfrom|\bimport|\bimport\()"([\w@][\w@./-]*)"/g),
      ...text.matchAll(/createRequire\d*\(import\.meta\.url\)\("([^"]+)"\)/g),
    ]);
    // The samples of the reference name the published client; the service does not load it.
    // The compiler of the contracts is for the repository, and `ops contracts check` says so in the image.
    const isLoaded = (name: string) => !/^(?:node:|@tideline\/client$|solc$)/.test(name) && !isBuiltin(name);
    const names = [...new Set(found.map(([, name = '']) => name))].filter(isLoaded);
    expect(names.toSorted()).toEqual([
      '@opentelemetry/api',
      '@solana/spl-token',
      '@solana/web3.js',
      'express',
      'mongodb',
      'pino',
    ]);
    await run(node, ['--input-type=module', '-e', names.map((name) => `await import('${name}');`).join('\n')], {
      cwd: folderOf(''),
    });
  });

  it('leave compiled code that Node takes and that the service cannot change', async () => {
    if (!isRoot || node === process.execPath) return;
    const kept = files.filter((name) => name.startsWith('.v8/'));
    expect(kept.length).toBeGreaterThan(100);
    const owners = await Promise.all(kept.map(async (name) => (await lstat(inApp(name))).uid));
    expect([...new Set(owners)]).toEqual([0]);
    const env = { ...variables(), NODE_DEBUG_NATIVE: 'COMPILE_CACHE' };
    const { stderr } = await run(node, [inApp('dist/scripts/ops.js'), 'doctor', '--help'], {
      env,
      uid: 1000,
      gid: 1000,
    });
    const ofChunks = stderr.match(/dist\/chunks\/\S+ was \w+/g) ?? [];
    expect(ofChunks.length).toBeGreaterThan(5);
    expect(ofChunks.filter((line) => !line.endsWith(' was accepted'))).toEqual([]);
  });

  it('leave commands that run, and name the sources in stack traces', async () => {
    const ops = inApp('dist/scripts/ops.js');
    await expect(run(node, [ops, 'contracts', 'check'], { env: variables() })).rejects.toMatchObject({
      stderr: 'The sources of the contracts are missing here, as in the image: run this in the repository\n',
    });
    const failing = `data:text/javascript,process.stdout.write = () => { throw new Error('a full disk'); };`;
    const args = ['--import', failing, ops, 'doctor', '--help'];
    await expect(run(node, args, { env: variables() })).rejects.toMatchObject({
      stderr: expect.stringMatching(/at showUsage \(scripts\/lib\/script\.ts:\d+:\d+\)/),
    });
  });
});

describe('the service in the image', () => {
  it('runs as another user than root, in a folder that nobody can write to, and is healthy', async () => {
    expect(restOf('USER')).toEqual(['1000:1000']);
    await run('chmod', ['-R', 'a-w,a+rX', folderOf('')]);
    const user = isRoot ? { uid: 1000, gid: 1000 } : {};
    if (!isRoot) process.stderr.write('\nSKIPPED: the service as user 1000: this test does not run as root\n\n');
    const { mongoUri } = await startTestDevnet();
    // Its socket is in a folder of the user who runs this test.
    const line = await FaultyLine.before(mongoUri);
    const port = String(await freePort());
    const env = { ...variables(), PORT: port, HOST: '127.0.0.1', PLATFORM_FEE_BPS: '0', MONGODB_URI: line.uri };
    const [program, ...args] = command(restOf('CMD')[0]);
    expect(program).toBe('node');
    const service = spawn(node, args, { cwd: folderOf(''), env, ...user });
    let log = '';
    service.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
    const exited = new Promise((resolve) => service.once('exit', resolve));
    const answers = (path: string) =>
      fetch(`http://127.0.0.1:${port}${path}`).then(
        ({ status }) => status,
        () => service.exitCode ?? null,
      );
    try {
      const isWell = (status: number | null) => status === 200;
      for (const path of ['/livez', '/readyz'])
        await until(`${path} answers`, () => answers(path), isWell, { explain: () => log });
      if (isRoot) expect(await userOf(service.pid)).toBe('1000');
      expect(await Promise.all(['/docs', '/docs/guides/quickstart', '/staff', '/openapi.json'].map(answers))).toEqual([
        200, 200, 200, 200,
      ]);
      const [, ...check] = command(restOf('HEALTHCHECK')[0]?.replace(/^.*CMD /, ''));
      await run(node, check, { env });
      await expect(run(node, check, { env: { PORT: String(await freePort()) } })).rejects.toMatchObject({ code: 1 });
    } finally {
      service.kill('SIGTERM');
      await exited;
      await line.close();
    }
    expect(service.exitCode).toBe(0);
  });
});

async function userOf(pid: number | undefined): Promise<string | undefined> {
  return /^Uid:\t\d+\t(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1];
}
