import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { type HttpHarness, STAFF_TOKEN, startHttp } from '../support/http.ts';
import { runScript } from './support/run-script.ts';

const CREATE = ['create', '--name', 'Coffee Club'];
const printed = z.strictObject({ id: z.string(), testKey: z.string(), liveKey: z.string() });

let http: HttpHarness;
/** A data folder as a service keeps it. */
let dataDir: string;
let port: string;

beforeAll(async () => {
  http = await startHttp();
  port = String(http.port);
  dataDir = await mkdtemp(join(tmpdir(), 'tideline-merchant-'));
  await writeFile(join(dataDir, 'staff-token'), `${STAFF_TOKEN}\n`);
});

afterAll(() => rm(dataDir, { recursive: true, force: true }));

describe('npm run merchant -- create', () => {
  it('prints id and keys as JSON and nothing else, and the keys work', async () => {
    const end = await runScript('merchant', CREATE, { PORT: port, DATA_DIR: dataDir });
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
    const end = await runScript('merchant', args, { STAFF_TOKEN, STAFF_TOKEN_FILE: '/nowhere', PORT: '1' });
    expect(end).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('takes the token from the file that STAFF_TOKEN_FILE names', async () => {
    const end = await runScript('merchant', CREATE, { PORT: port, STAFF_TOKEN_FILE: join(dataDir, 'staff-token') });
    expect(end).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('says where it looked for a token when there is none', async () => {
    const end = await runScript('merchant', CREATE, { PORT: port, DATA_DIR: join(dataDir, 'none') });
    expect(end).toMatchObject({ exitCode: 1, stdout: '' });
    expect(end.stderr).toMatch(/^No staff token: neither STAFF_TOKEN nor STAFF_TOKEN_FILE is set/);
    expect(end.stderr).toContain(join(dataDir, 'none', 'staff-token'));
  });

  it('says whose token the service does not know, without showing it', async () => {
    const end = await runScript('merchant', CREATE, { PORT: port, STAFF_TOKEN: 'some-other-token' });
    expect(end).toMatchObject({ exitCode: 1, stdout: '' });
    expect(end.stderr).toBe(
      `The service at http://127.0.0.1:${port} does not know this staff token, which is from STAFF_TOKEN.\n`,
    );
    expect(end.stderr).not.toContain('some-other-token');
  });

  it('says that no service answers, and what to do', async () => {
    const gone = await startHttp();
    await gone.stop();
    const end = await runScript('merchant', CREATE, { STAFF_TOKEN, PORT: String(gone.port) });
    expect(end).toMatchObject({ exitCode: 1, stdout: '' });
    expect(end.stderr).toContain(`${gone.url}/staff/api/merchants: connect ECONNREFUSED`);
    expect(end.stderr).toContain('npm start');
  });

  it('hands on what the service refuses', async () => {
    const end = await runScript('merchant', ['create', '--name', 'x'.repeat(201)], { STAFF_TOKEN, PORT: port });
    expect(end).toMatchObject({ exitCode: 1, stdout: '' });
    expect(end.stderr).toMatch(/^The service refuses it: name must/);
  });
});

describe('npm run merchant, not understood', () => {
  it.each([
    ['no command', [], 'A command is missing: expected create'],
    ['another command', ['delete'], 'There is no command delete: expected create'],
    ['no name', ['create'], '--name is missing'],
    ['an empty name', ['create', '--name', ' '], '--name is missing'],
    ['a flag that does not exist', ['create', '--nme', 'x'], "Unknown option '--nme'"],
    ['something left over', [...CREATE, 'more'], 'Unexpected: more'],
    ['a URL that is none', [...CREATE, '--url', 'localhost:3000'], '--url localhost:3000: expected a URL such as'],
  ])('exits with 2 and the usage for %s', async (_, args, message) => {
    const end = await runScript('merchant', args, { STAFF_TOKEN, PORT: port });
    expect(end).toMatchObject({ exitCode: 2, stdout: '' });
    expect(end.stderr).toContain(message);
    expect(end.stderr).toContain('npm run merchant -- create --name NAME');
  });

  it('prints the usage on stdout when it is asked for', async () => {
    const end = await runScript('merchant', ['create', '--help']);
    expect(end).toMatchObject({ exitCode: 0, stderr: '' });
    expect(end.stdout).toContain('npm run merchant -- create --name NAME');
  });
});
