import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { commandOf } from '../../scripts/lib/build.ts';
import { cleanEnvironment, spawnService } from '../../stage/service-process.ts';
import { temporaryFolder } from '../runner/after.ts';

const folder = await temporaryFolder();

describe('npm start with arguments', () => {
  async function started(...args: string[]) {
    const env = { ...cleanEnvironment(process.env), DATA_DIR: join(folder, 'data'), PORT: '0' };
    const service = spawnService({ command: [...commandOf('src/main'), ...args], env });
    const { code } = await service.exited;
    expect(await readdir(folder)).toEqual([]);
    return { code, stdout: service.output(), stderr: service.log() };
  }

  it('prints its usage on request, and starts nothing', async () => {
    const help = await started('--help');
    expect(help).toEqual({ code: 0, stdout: expect.stringMatching(/^npm start\n/), stderr: '' });
    expect(await started('-h')).toEqual(help);
  });

  it('refuses everything else with exit code 2, the mistake last', async () => {
    const { stdout: usage } = await started('help');
    expect(await started('--port', '80')).toEqual({ code: 2, stdout: '', stderr: `${usage}\nUnexpected: --port 80\n` });
  });
});
