import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { temporaryFolder } from '../runner/after.ts';
import { STAFF_TOKEN, startHttp, useHttp } from '../support/http.ts';
import { runOps } from './support/run-script.ts';

const CREATE = ['create', '--name', 'Coffee Club'];
const printed = z.strictObject({ id: z.string(), testKey: z.string(), liveKey: z.string() });

const http = useHttp();
/** A data folder as a service keeps it. */
const dataDir = await temporaryFolder();
let port: string;

beforeAll(async () => {
  port = String(http.port);
  await writeFile(join(dataDir, 'staff-token'), `${STAFF_TOKEN}\n`);
});

describe('npm run ops -- merchant create', () => {
  it('prints only id and keys as JSON, and the keys work', async () => {
    const end = await runOps('merchant', CREATE, { PORT: port, DATA_DIR: dataDir });
    expect(end).toMatchObject({ exitCode: 0, stderr: '' });
    const made = printed.parse(JSON.parse(end.stdout));
    expect(made.id).toMatch(/^mrc_/);
    for (const key of [made.testKey, made.liveKey]) {
      expect((await http.call('GET', '/offers', { key })).status).toBe(200);
    }
    const [merchant] = await http.store.records.get('merchants', [made.id]);
    expect(merchant?.name).toBe('Coffee Club');
  });

  it('takes the URL from --url, and the token from STAFF_TOKEN before any file', async () => {
    const args = [...CREATE, '--url', `${http.url}/v1/`];
    const end = await runOps('merchant', args, { STAFF_TOKEN, STAFF_TOKEN_FILE: '/nowhere', PORT: '1' });
    expect(end).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('takes the token from the file in STAFF_TOKEN_FILE', async () => {
    const end = await runOps('merchant', CREATE, { PORT: port, STAFF_TOKEN_FILE: join(dataDir, 'staff-token') });
    expect(end).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('reports that no service answers, and what to do', async () => {
    const gone = await startHttp();
    await gone.stop();
    const end = await runOps('merchant', CREATE, { STAFF_TOKEN, PORT: String(gone.port) });
    expect(end).toMatchObject({ exitCode: 1, stdout: '' });
    expect(end.stderr).toContain(`${gone.url}/staff/api/merchants: connect ECONNREFUSED`);
    expect(end.stderr).toContain('npm start');
  });
});

describe('npm run ops -- merchant that is not done', () => {
  const elsewhere = join(dataDir, 'none');

  it.each([
    [
      'the searched folders without a token',
      CREATE,
      { DATA_DIR: elsewhere },
      new RegExp(`^No staff token: neither STAFF_TOKEN nor STAFF_TOKEN_FILE is set.* ${elsewhere}/staff-token,`),
    ],
    [
      'the source of a token that the service does not know, not the token',
      CREATE,
      { STAFF_TOKEN: 'some-other-token' },
      /^The service at http:\/\/127\.0\.0\.1:\d+ does not know this staff token, which is from STAFF_TOKEN\.\n$/,
    ],
    ['the refusal of the service', ['create', '--name', 'x'.repeat(201)], {}, /^The service refuses it: name must/],
    [
      'an unknown merchant',
      ['suspend', 'mrc_nobody'],
      {},
      /^There is no merchant mrc_nobody at http:\/\/127\.0\.0\.1:\d+/,
    ],
  ])('shows %s', async (_, args, environment, stderr) => {
    const end = await runOps('merchant', args, { PORT: port, DATA_DIR: dataDir, ...environment });
    expect(end).toEqual({ exitCode: 1, stdout: '', stderr: expect.stringMatching(stderr) });
  });
});

/** Runs a command as staff do, and returns its output. Throws if it fails. */
async function done(...args: readonly string[]): Promise<string> {
  const end = await runOps('merchant', args, { PORT: port, DATA_DIR: dataDir });
  expect(end).toMatchObject({ exitCode: 0, stderr: '' });
  return end.stdout;
}

describe('npm run ops -- merchant list', () => {
  it('prints a table, newest first, and no name can control the terminal', async () => {
    const own = await startHttp();
    await own.merchant('Coffee Club');
    own.now = new Date('2030-01-16T10:00:00.000Z');
    await own.merchant('Tea \u001b[31mHouse');
    const end = await runOps('merchant', ['list'], { PORT: String(own.port), DATA_DIR: dataDir });
    expect(end).toMatchObject({ exitCode: 0, stderr: '' });
    const [headings, tea, coffee, ...rest] = end.stdout.trimEnd().split('\n');
    expect(headings).toMatch(/^ID {2,}NAME {2,}STATUS {2,}FEE {2,}LIMITS {2,}SINCE$/);
    expect(tea).toMatch(/^mrc_\w{26} {2}Tea \?\[31mHouse {2}active {2}1 % {2}x 1 {5}2030-01-16$/);
    expect(coffee).toMatch(/^mrc_\w{26} {2}Coffee Club {5,}active {2}1 % {2}x 1 {5}2030-01-15$/);
    expect(rest).toEqual([]);
    expect(end.stdout).not.toContain('\u001b');
  });

  it('prints all of them, however many pages the service has, and those of one status', async () => {
    const own = await startHttp();
    for (let count = 0; count < 101; count += 1) await own.merchant();
    const place = { PORT: String(own.port), DATA_DIR: dataDir };
    const all = await runOps('merchant', ['list', '--json'], place);
    expect(z.object({ merchants: z.array(z.unknown()) }).parse(JSON.parse(all.stdout)).merchants).toHaveLength(101);
    const none = await runOps('merchant', ['list', '--status', 'suspended'], place);
    expect(none.stdout).toBe('No merchants.\n');
  });
});

describe('npm run ops -- merchant limits', () => {
  it('sets the factor, with who and why in the journal', async () => {
    const { merchant } = await http.merchant('Coffee Club');
    const args = ['limits', merchant._id, '--factor', '100', '--reason', 'benchmark'];
    expect(await done(...args)).toBe(`${merchant._id} (Coffee Club): limits x 100\n`);
    const [stored] = await http.store.records.get('merchants', [merchant._id]);
    expect(stored?.limitFactor).toBe(100);
    expect(stored?.staffEntry).toMatchObject({ by: 'staff', reason: 'benchmark', action: 'merchant.changed' });
  });

  it("prints the service's answer with --json, with a default reason", async () => {
    const { merchant } = await http.merchant();
    const answer = JSON.parse(await done('limits', merchant._id, '--factor', '7', '--json'));
    expect(answer).toMatchObject({ id: merchant._id, limitFactor: 7 });
    const [stored] = await http.store.records.get('merchants', [merchant._id]);
    expect(stored?.staffEntry).toMatchObject({ by: 'staff', reason: 'on the command line' });
  });
});

describe('npm run ops -- merchant suspend and reinstate', () => {
  it('exclude a merchant and let it in again', async () => {
    const { merchant, testKey: key } = await http.merchant('Coffee Club');
    expect(await done('suspend', merchant._id)).toBe(`${merchant._id} (Coffee Club): suspended\n`);
    expect((await http.call('GET', '/offers', { key })).status).toBe(401);
    expect(await done('reinstate', merchant._id)).toBe(`${merchant._id} (Coffee Club): active\n`);
    expect((await http.call('GET', '/offers', { key })).status).toBe(200);
  });

  it('show the conflict', async () => {
    const { merchant } = await http.merchant();
    const end = await runOps('merchant', ['reinstate', merchant._id], { PORT: port, DATA_DIR: dataDir });
    expect(end).toMatchObject({ exitCode: 1, stdout: '' });
    expect(end.stderr).toBe('The service refuses it: Merchant is active; reinstate needs suspended\n');
  });
});

describe('npm run ops -- merchant keys', () => {
  it.each(['test', 'live'])('issues a working %s key, shown only once', async (mode) => {
    const { merchant } = await http.merchant();
    const said = await done('keys', merchant._id, '--mode', mode);
    const [, key = '', id = ''] = /(tl_\w+) {2}\(id ([0-9a-f]{16}); shown only now\)\n$/.exec(said) ?? [];
    expect(key.startsWith(`tl_${mode}_`)).toBe(true);
    expect((await http.call('GET', '/offers', { key })).status).toBe(200);
    const answer = JSON.parse(await done('keys', merchant._id, '--mode', mode, '--json'));
    expect(answer).toMatchObject({ mode, key: expect.stringMatching(/^tl_/) });
    expect(answer.id).not.toBe(id);
  });
});

describe('npm run ops -- merchant with wrong arguments', () => {
  it.each([
    ['no command', [], 'A command is missing: expected create'],
    ['another command', ['delete'], 'There is no command delete: expected create'],
    ['no name', ['create'], '--name is missing'],
    ['an empty name', ['create', '--name', ' '], '--name is missing'],
    ['a flag that does not exist', ['create', '--nme', 'x'], "Unknown option '--nme'"],
    ['something left over', [...CREATE, 'more'], 'Unexpected: more'],
    ['no id', ['suspend'], "A merchant's id is missing: expected mrc_"],
    ['an id that is none', ['suspend', 'sub_1'], "sub_1 is no merchant's id: expected mrc_"],
    ['no factor', ['limits', 'mrc_1'], '--factor is missing'],
    ['a factor of 0', ['limits', 'mrc_1', '--factor', '0'], '--factor 0: expected an integer from 1 to 10000'],
    ['too large a factor', ['limits', 'mrc_1', '--factor', '10001'], '--factor 10001: expected an integer'],
    ['no mode', ['keys', 'mrc_1'], '--mode is missing: expected test or live'],
    ['another mode', ['keys', 'mrc_1', '--mode', 'sandbox'], '--mode sandbox: expected test or live'],
    ['another status', ['list', '--status', 'gone'], '--status gone: expected active or suspended'],
    ['a flag of another command', ['suspend', 'mrc_1', '--factor', '2'], '--factor is not for suspend'],
    ['a URL that is none', [...CREATE, '--url', 'localhost:3000'], '--url localhost:3000: expected a URL such as'],
  ])('exits with 2 and the usage for %s', async (_, args, message) => {
    const end = await runOps('merchant', args, { STAFF_TOKEN, PORT: port });
    expect(end).toMatchObject({ exitCode: 2, stdout: '' });
    expect(end.stderr).toContain(message);
    expect(end.stderr).toContain('npm run ops -- merchant create --name NAME');
  });
});
