import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { BUILD_MS, npmBuild } from '../support/npm-build.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { startFakeApi } from './support/fake-api.ts';

const run = promisify(execFile);

const REPOSITORY = join(import.meta.dirname, '../..');

/** The folder of a merchant's project that has installed the package. */
let project: string;
let temporary: string;

beforeAll(async () => {
  temporary = await mkdtemp(join(tmpdir(), 'tideline-package-'));
  project = await install(await pack(await build()));
}, BUILD_MS);

afterAll(() => removeFolder(temporary));

/** `npm run build`, into a separate folder. */
async function build(): Promise<string> {
  const folder = join(temporary, 'built');
  await npmBuild(folder);
  return folder;
}

/** `npm pack`, without a network. */
async function pack(folder: string): Promise<string> {
  const options = {
    cwd: folder,
    env: { ...process.env, npm_config_offline: 'true', npm_config_cache: join(temporary, 'npm') },
  };
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts'], options);
  const [packed] = z.array(z.object({ filename: z.string() })).parse(JSON.parse(stdout));
  return join(folder, packed?.filename ?? '');
}

/** A project with the package and only the dependencies of the client. */
async function install(tarball: string): Promise<string> {
  const folder = join(temporary, 'shop');
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, 'tideline'), { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', join(modules, 'tideline'), '--strip-components=1']);
  for (const name of ['openapi-fetch', 'openapi-typescript-helpers'])
    await symlink(join(REPOSITORY, 'node_modules', name), join(modules, name));
  await mkdir(join(modules, '@types'));
  await symlink(join(REPOSITORY, 'node_modules/@types/node'), join(modules, '@types/node'));
  await symlink(join(REPOSITORY, 'node_modules/undici-types'), join(modules, 'undici-types'));
  await writeFile(join(folder, 'package.json'), '{ "name": "shop", "type": "module", "private": true }\n');
  await cp(join(REPOSITORY, 'test/client/typed-usage.ts'), join(folder, 'typed-usage.ts'));
  return folder;
}

describe('the packed package tideline', () => {
  it('can be imported as tideline/client by plain node, calls the API and verifies webhooks', async () => {
    const fake = await startFakeApi();
    fake.answer({ status: 201, body: { id: 'cust_1', name: 'Ada' } });
    const code = `
      import { createClient, signTestWebhook, verifyWebhook } from 'tideline/client';
      const tideline = createClient({ apiKey: 'tl_test_1', baseUrl: '${fake.baseUrl}' });
      const customer = await tideline.customers.create({ name: 'Ada' });
      const { body, headers } = signTestWebhook({ event: 'customer.deleted', data: { customerId: customer.id } }, 'whsec_1');
      console.log(verifyWebhook(body, headers, 'whsec_1').data.customerId);
    `;
    await writeFile(join(project, 'shop.js'), code);
    const { stdout, stderr } = await run(process.execPath, ['shop.js'], { cwd: project, env: { PATH: '' } });
    expect({ stdout, stderr }).toEqual({ stdout: 'cust_1\n', stderr: '' });
    expect(fake.seen).toMatchObject([{ method: 'POST', url: '/v1/customers', body: '{"name":"Ada"}' }]);
  });

  it('exports nothing else', async () => {
    const code = "await import('tideline/dist/src/config/config.js').catch(({ code }) => console.log(code))";
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code], { cwd: project });
    expect(stdout).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED\n');
  });

  it.each([
    ['typescript-native', 'nodenext'],
    ['typescript-native', 'bundler'],
    ['typescript', 'nodenext'],
  ])('has types for %s with the module resolution %s', typesFor, BUILD_MS);
});

async function typesFor(compiler: string, moduleResolution: string): Promise<void> {
  const config = {
    compilerOptions: {
      target: 'ES2023',
      lib: ['ES2023'],
      module: moduleResolution === 'bundler' ? 'preserve' : moduleResolution,
      moduleResolution,
      types: ['node'],
      strict: true,
      noEmit: true,
    },
    include: ['typed-usage.ts'],
  };
  const file = join(project, `tsconfig.${compiler}.${moduleResolution}.json`);
  await writeFile(file, JSON.stringify(config));
  const tsc = join(REPOSITORY, 'node_modules', compiler, 'bin/tsc');
  const said = await run(process.execPath, [tsc, '-p', file], { cwd: project }).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  );
  expect(said).toBe('');
}
