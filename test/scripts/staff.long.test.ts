import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { TemporaryDevnet } from '../../stage/temporary-devnet.ts';
import { temporaryFolder } from '../runner/after.ts';
import { startTestDevnet } from '../support/devnet.ts';
import { runOps } from './support/run-script.ts';

const added = z.object({ name: z.string(), role: z.string(), token: z.string() });
const elsewhere = await temporaryFolder();

describe('npm run ops -- staff', () => {
  let devnet: TemporaryDevnet;
  beforeAll(async () => {
    devnet = await startTestDevnet();
  });

  function staff(...args: string[]) {
    return runOps('staff', args, { MONGODB_URI: devnet.mongoUri, DATA_DIR: elsewhere });
  }

  it('makes a token that is shown only once, lists it by its last characters, and revokes it', async () => {
    const made = await staff('add', 'ada', '--role', 'act', '--json');
    expect(made.exitCode).toBe(0);
    const { token } = added.parse(JSON.parse(made.stdout));
    expect(token).toMatch(/^tl_staff_[\w-]{32}$/);
    const again = await staff('add', 'ada', '--role', 'read');
    expect([again.exitCode, again.stderr]).toEqual([1, expect.stringContaining('ada has a token; revoke it first')]);
    const listed = await staff('list');
    expect(listed.stdout).toMatch(new RegExp(`ada +act +…${token.slice(-4)} .*in force`));
    expect(listed.stdout).not.toContain(token);
    expect((await staff('revoke', 'ada')).stdout).toBe('ada: revoked\n');
    const twice = await staff('revoke', 'ada');
    expect([twice.exitCode, twice.stderr]).toEqual([1, expect.stringContaining('no token of that name in force')]);
  });

  it('does not use the embedded database if MONGODB_URI_FILE is empty', async () => {
    const file = join(elsewhere, 'uri');
    await writeFile(file, '\n');
    const { exitCode, stderr } = await runOps('staff', ['list'], { MONGODB_URI_FILE: file, DATA_DIR: elsewhere });
    expect([exitCode, stderr]).toEqual([1, `MONGODB_URI_FILE names a file that is empty: ${file}\n`]);
  });

  it.each([
    [[], 'A command is missing'],
    [['add', 'ada'], '--role is missing'],
    [['add', 'ada', '--role', 'owner'], '--role owner: expected read, act or admin'],
    [['add', '--role', 'read'], 'NAME is missing'],
    [['list', 'ada'], 'Unexpected: ada'],
    [['lose', 'ada'], 'There is no command lose'],
  ])('refuses %j', async (args, said) => {
    const { exitCode, stderr } = await staff(...args);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(said)]);
  });
});
