import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { temporaryFolder } from '../runner/after.ts';
import { journalOf } from '../staff/support/staff.ts';
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
      ['invite', 'mrc_nobody', '--name', 'Ada'],
      {},
      /^There is no merchant mrc_nobody at http:\/\/127\.0\.0\.1:\d+/,
    ],
  ])('shows %s', async (_, args, environment, stderr) => {
    const end = await runOps('merchant', args, { PORT: port, DATA_DIR: dataDir, ...environment });
    expect(end).toEqual({ exitCode: 1, stdout: '', stderr: expect.stringMatching(stderr) });
  });
});

describe('npm run ops -- merchant invite', () => {
  it('prints the link of the person, with who and why in the journal, and no name can control the terminal', async () => {
    const { merchant } = await http.merchant();
    const args = [
      'invite',
      merchant._id,
      '--name',
      'Ada \u001b[31m',
      '--role',
      'viewer',
      '--reason',
      'new in the team',
    ];
    const end = await runOps('merchant', args, { PORT: port, DATA_DIR: dataDir });
    expect(end).toMatchObject({ exitCode: 0, stderr: '' });
    expect(end.stdout).toMatch(
      /^Ada \?\[31m \(viewer\) opens this link once, until 2030-01-22:\nhttps:\/\/pay\.example\.com\/\S+\n$/,
    );
    expect(await journalOf(http, merchant._id)).toMatchObject([
      { by: 'staff', reason: 'new in the team', action: 'member.invited' },
    ]);
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
    ['no id', ['invite'], "A merchant's id is missing: expected mrc_"],
    ['an id that is none', ['invite', 'sub_1'], "sub_1 is no merchant's id: expected mrc_"],
    [
      'another role',
      ['invite', 'mrc_1', '--name', 'Ada', '--role', 'owner'],
      '--role owner: expected viewer, member or',
    ],
    ['a flag of another command', [...CREATE, '--role', 'viewer'], '--role is not for create'],
    ['a URL that is none', [...CREATE, '--url', 'localhost:3000'], '--url localhost:3000: expected a URL such as'],
  ])('exits with 2 and the usage for %s', async (_, args, message) => {
    const end = await runOps('merchant', args, { STAFF_TOKEN, PORT: port });
    expect(end).toMatchObject({ exitCode: 2, stdout: '' });
    expect(end.stderr).toContain(message);
    expect(end.stderr).toContain('npm run ops -- merchant create --name NAME');
  });
});
