import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '../runner/after.ts';
import { runOps } from './support/run-script.ts';

const folder = await temporaryFolder();

const OWNER = '0x3B675521EAef03956f876E07Ee3a2C72CDFb5Db3';
const DEPLOY = ['deploy', '--chain', '84532', '--guardian', 'none', '--owner', OWNER, '--sender', OWNER];

describe('npm run ops -- contracts deploy', () => {
  it('reads the node and the key from files, as the service does, and prints neither', async () => {
    const [url, key] = [join(folder, 'rpc-url'), join(folder, 'deployer-key')];
    await writeFile(url, 'http://user:password@127.0.0.1:1, http://127.0.0.1:2\n');
    await writeFile(key, `0x${'11'.repeat(32)}\n`);
    const end = await runOps('contracts', DEPLOY, { RPC_URL_84532_FILE: url, DEPLOYER_KEY_FILE: key });
    expect([end.exitCode, end.stderr]).toEqual([1, 'connect ECONNREFUSED 127.0.0.1:1\n']);
    expect(end.stdout).not.toMatch(/password|1111/);
  });

  it('asks for a guardian', async () => {
    const args = DEPLOY.filter((arg) => arg !== '--guardian' && arg !== 'none');
    const rest = { RPC_URL_84532: 'http://127.0.0.1:1', DEPLOYER_KEY: '11'.repeat(32) };
    const end = await runOps('contracts', args, rest);
    expect([end.exitCode, end.stderr]).toEqual([
      2,
      expect.stringMatching(
        /\n--guardian or ROUTER_GUARDIAN is missing: expected an address, or none for no guardian\n$/,
      ),
    ]);
  });
});
