import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient, type Tideline, verifyWebhook } from 'tideline/client';
import { z } from 'zod';
import { devnetFacts } from '../../scripts/lib/devnet-facts.ts';
import { packageRoot } from '../../src/package/root.ts';
import type { ServiceProcess } from '../../stage/processes.ts';
import { temporaryFolder } from '../runner/after.ts';
import { createTestMerchant } from '../support/merchant.ts';
import { installInto, type Runtime, type RuntimeName, runtime, tarballOf } from '../support/packed.ts';
import { startServiceProcess } from '../support/service.ts';
import { openReceiver } from '../webhooks/receiver.ts';

/** `@tideline/cli` as a merchant has it: packed, installed in an empty folder, and run beside a service. */

const run = promisify(execFile);

const MINUTES_MS = 60_000;

const temporary = await temporaryFolder();
const home = join(temporary, 'home');
const RUNTIMES: readonly RuntimeName[] = ['Node 20.19', 'Node 22', 'Node 24'];
const runtimes = new Map<RuntimeName, Runtime>();
for (const name of RUNTIMES) {
  const found = await runtime(name, temporary);
  if (found) runtimes.set(name, found);
}

let tarball: string;
let service: ServiceProcess;
let testKey: string;
let client: Tideline;

beforeAll(async () => {
  tarball = await tarballOf('cli', temporary);
  await installInto(home, [tarball]);
  const dataDir = join(temporary, 'data');
  service = await startServiceProcess({ dataDir });
  testKey = (await createTestMerchant(() => service, dataDir)).testKey;
  client = createClient({ apiKey: testKey, baseUrl: `${service.url}/v1` });
}, 5 * MINUTES_MS);

afterAll(async () => {
  // Of a test that failed before their end.
  for (const child of children) child.kill('SIGKILL');
  await service?.stop();
});

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Call {
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly node?: string;
}

const children = new Set<ChildProcess>();

const TIDELINE = join(home, 'node_modules/.bin/tideline');

function start(args: readonly string[], { environment = {}, node = process.execPath }: Call = {}): ChildProcess {
  const child = spawn(node, [TIDELINE, ...args], { cwd: home, env: { HOME: home, ...environment } });
  children.add(child);
  child.once('close', () => children.delete(child));
  return child;
}

/** Runs the command to its end. */
async function tideline(args: readonly string[], call: Call = {}): Promise<Ended> {
  const child = start(args, call);
  const said = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (chunk) => {
    said.stdout += chunk;
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk) => {
    said.stderr += chunk;
  });
  child.stdin?.end(call.input ?? '');
  const [code] = await once(child, 'close');
  return { code, ...said };
}

/** The result of a command with `--json`. */
async function json<T>(schema: z.ZodType<T>, args: readonly string[], call: Call = {}): Promise<T> {
  const { code, stdout, stderr } = await tideline([...args, '--json'], call);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return schema.parse(JSON.parse(stdout));
}

const eventSchema = z.looseObject({ id: z.string(), event: z.string(), data: z.record(z.string(), z.unknown()) });

describe('the packed package @tideline/cli', () => {
  it('installs no other package, and contains the licences of its code', async () => {
    const names = await readdir(join(home, 'node_modules'));
    expect(names.filter((name) => !name.startsWith('.'))).toEqual(['@tideline']);
    const own = join(home, 'node_modules/@tideline/cli');
    expect(await readdir(own)).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'package.json']);
    expect(await readdir(join(own, 'dist'))).toEqual(expect.arrayContaining(['LICENSES.txt', 'tideline.js']));
    await run(process.execPath, [join(packageRoot(), 'node_modules/.bin/publint'), 'run', '--strict', tarball]);
  });

  it('says what it can do, and refuses what it cannot', async () => {
    const overview = await tideline(['--help']);
    expect(overview).toMatchObject({ code: 0, stderr: '' });
    const commands = [...overview.stdout.matchAll(/^ {4}([a-z-]+)/gm)].map(([, name = '']) => name);
    expect(commands).toEqual(['login', 'logout', 'webhooks', 'trigger', 'sandbox', 'verify-proof', 'verify-bundle']);
    for (const command of commands) {
      const { code, stdout } = await tideline([command, '--help']);
      expect({ command, code }).toEqual({ command, code: 0 });
      expect(stdout).toContain(`tideline ${command}`);
      expect(await tideline([command, '--nothing'])).toMatchObject({ code: 2, stdout: '' });
    }
    expect(await tideline(['--version'])).toEqual({ code: 0, stdout: '0.1.0\n', stderr: '' });
    expect(await tideline([])).toMatchObject({ code: 2, stderr: expect.stringMatching(/\nA command is missing\n$/) });
    expect(await tideline(['pay'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/\nThere is no command pay\n$/),
    });
  });

  it('keeps no key that the service does not know, and forgets one', async () => {
    const environment = { XDG_CONFIG_HOME: join(temporary, 'nobody') };
    const unknown = await tideline(['login', '--url', service.url], { input: 'tl_test_unknown', environment });
    expect(unknown).toEqual({ code: 1, stdout: '', stderr: 'The service does not know this key.\n' });
    expect(await tideline(['trigger', 'customer.created'], { environment })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('run `tideline login`'),
    });
    expect(await tideline(['logout'], { environment })).toMatchObject({ code: 1 });
    expect(await tideline(['login', '--url', service.url], { input: testKey, environment })).toMatchObject({ code: 0 });
    expect(await tideline(['logout'], { environment })).toMatchObject({ code: 0 });
    expect(await tideline(['trigger', 'customer.created'], { environment })).toMatchObject({ code: 1 });
  });

  for (const name of RUNTIMES) {
    (runtimes.has(name) ? it : it.skip)(
      `works in ${name}: login, trigger, sandbox, verify-proof, webhooks`,
      async () => {
        const [node = ''] = runtimes.get(name)?.command ?? [];
        await wholeStory({ node, environment: { XDG_CONFIG_HOME: join(temporary, 'config', name) } });
      },
      3 * MINUTES_MS,
    );
  }

  it(
    'triggers every event that its usage lists',
    async () => {
      await client.webhooks.setEndpoint({ extraEvents: true });
      const environment = { TIDELINE_API_KEY: testKey, TIDELINE_URL: `${service.url}/v1` };
      const { stdout } = await tideline(['trigger', '--help']);
      const events = [...stdout.matchAll(/^ {4}([a-z]+\.[a-z_]+)/gm)].map(([, event = '']) => event);
      expect(events).toHaveLength(20);
      for (const event of events) {
        expect((await json(eventSchema, ['trigger', event], { environment })).event).toBe(event);
      }
    },
    5 * MINUTES_MS,
  );

  it('does not wait for an event that the merchant does not get', async () => {
    await client.webhooks.setEndpoint({ extraEvents: false });
    const environment = { TIDELINE_API_KEY: testKey, TIDELINE_URL: service.url };
    expect(await tideline(['trigger', 'subscription.past_due'], { environment })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('is an opt-in event'),
    });
    expect(await tideline(['trigger', 'payment.dreamt'], { environment })).toMatchObject({ code: 2 });
  });
});

/** A merchant's day with the command. */
async function wholeStory(call: Call & { readonly environment: Readonly<Record<string, string>> }): Promise<void> {
  const login = await tideline(['login', '--url', `${service.url}/v1`], { ...call, input: `${testKey}\n` });
  expect(login).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('Profile default is for') });
  const file = join(call.environment['XDG_CONFIG_HOME'] ?? '', 'tideline/config.json');
  expect((await stat(file)).mode & 0o777).toBe(0o600);

  const receiver = await openReceiver();
  const listener = start(['webhooks', 'listen', '--forward', receiver.url, '--secret', 'whsec_given'], call);
  const shown = new Promise<string>((resolve) => listener.stdout?.setEncoding('utf8').once('data', resolve));
  await new Promise((resolve) => listener.stderr?.once('data', resolve));

  const created = await tideline(['trigger', 'customer.created'], call);
  expect(created).toMatchObject({ code: 0, stderr: '' });
  expect(created.stdout).toMatch(/^\S+ {2}customer\.created +cust_\w+ {2}evt_\w+\n$/);
  expect(await shown).toMatch(/customer\.created +cust_\w+ +200 \d+ ms\n$/);
  const [delivery] = receiver.received;
  const given = [delivery?.rawBody ?? '', delivery?.headers ?? {}, 'whsec_given'] as const;
  expect(verifyWebhook(...given, { mode: 'test' }).event).toBe('customer.created');
  listener.kill('SIGINT');
  expect(await once(listener, 'close')).toEqual([0, null]);
  await receiver.close();

  const { data } = await json(eventSchema, ['trigger', 'subscription.active'], call);
  const subscriptionId = z.string().parse(data['subscriptionId']);
  const advanced = await tideline(['sandbox', 'advance', subscriptionId, '--days', '31'], call);
  expect(advanced).toMatchObject({ code: 0, stderr: '' });
  expect(advanced.stdout).toMatch(/cycle\.due +active → active +settled\n/);
  expect(advanced.stdout).toMatch(/: active, paid until \S+\n$/);
  const report = await json(
    z.looseObject({ status: z.string() }),
    ['sandbox', 'advance', subscriptionId, '--status', 'past_due'],
    call,
  );
  expect(report.status).toBe('past_due');
  expect(await tideline(['sandbox', 'advance', 'sub_none'], call)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^POST \/sandbox\/advance: /),
  });

  const [paid] = (await client.payments.list({ subscriptionId, status: 'settled' })).payments;
  const proof = await client.payments.proof(paid?.id ?? '');
  const proofFile = join(temporary, 'proof.json');
  await writeFile(proofFile, JSON.stringify(proof));
  const { rpcUrl } = await devnetFacts(service);
  const verified = await tideline(['verify-proof', proofFile, '--rpc', rpcUrl], call);
  expect(verified).toMatchObject({ code: 0, stderr: '' });
  expect(verified.stdout).toContain('The proof holds.');
  await writeFile(proofFile, JSON.stringify({ ...proof, paymentId: 'pay_other' }));
  const forged = await tideline(['verify-proof', proofFile, '--rpc', rpcUrl, '--json'], call);
  expect({ code: forged.code, valid: JSON.parse(forged.stdout).valid }).toEqual({ code: 1, valid: false });
}
