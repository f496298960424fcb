import fs, { access, mkdir, readdir, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { spyOn } from 'jest-mock';
import { openFolder } from '../../devnet/folder.ts';
import { resetFolder } from '../../devnet/reset.ts';
import { BOTH, joinAt, tempFolder } from './support/folders.ts';
import { processOf, SUPERVISOR, untilNoneIsLeft } from './support/processes.ts';

describe('the reset of a data folder', () => {
  it('ends its processes, informs the services, and deletes it', async () => {
    const dataDir = join(await tempFolder(), 'data');
    const devnet = await joinAt(dataDir, BOTH);
    const why = new Promise((resolve) => devnet.onLost(resolve));
    const pid = await processOf(dataDir, SUPERVISOR);
    expect(await resetFolder(dataDir)).toEqual([`Ended the supervisor (process ${pid}).`, `Deleted ${dataDir}.`]);
    expect(await why).toBe('The data folder is reset');
    await expect(access(dataDir)).rejects.toMatchObject({ code: 'ENOENT' });
    await untilNoneIsLeft(dataDir);
    const fresh = await joinAt(dataDir);
    expect(fresh.folderId).not.toBe(devnet.folderId);
  });

  it('deletes a folder without processes, and the files of a killed supervisor elsewhere', async () => {
    const dataDir = join(await tempFolder(), 'data');
    const { mongo } = await joinAt(dataDir, BOTH);
    process.kill(await processOf(dataDir, SUPERVISOR), 'SIGKILL');
    await untilNoneIsLeft(dataDir);
    expect(await resetFolder(dataDir)).toEqual([`Deleted ${dataDir}.`]);
    const socket = decodeURIComponent(/mongodb:\/\/([^/?]+)/.exec(mongo?.uri ?? '')?.[1] ?? '');
    expect(socket).toContain('tideline-run-');
    await expect(access(join(socket, '..', '..'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('does nothing without a folder', async () => {
    const dataDir = join(await tempFolder(), 'data');
    expect(await resetFolder(dataDir)).toEqual([`There is no folder ${dataDir}: nothing to do.`]);
  });

  it('refuses a folder that Tideline did not make', async () => {
    const dataDir = await tempFolder();
    await writeFile(join(dataDir, 'letters.txt'), 'dear');
    await expect(resetFolder(dataDir)).rejects.toThrow(`${dataDir} was not deleted: it holds no folder.json`);
    expect(await readdir(dataDir)).toEqual(['letters.txt']);
  });

  it('refuses a folder that also has another purpose', async () => {
    const dataDir = await tempFolder();
    await (await joinAt(dataDir)).leave({ graceful: true });
    await mkdir(join(dataDir, '.git'));
    await expect(resetFolder(dataDir)).rejects.toThrow('it holds .git, which no data folder does');
    expect(await readdir(dataDir)).toContain('evm-state.json');
  });

  it('can continue after an interruption', async () => {
    const dataDir = join(await tempFolder(), 'data');
    await openFolder(dataDir);
    await mkdir(join(dataDir, 'mongodb'));
    const { rm } = fs;
    const refused = spyOn(fs, 'rm').mockImplementation(async (path, options) => {
      if (String(path).endsWith('mongodb')) throw new Error('the disk is busy');
      await rm(path, options);
    });
    syncBuiltinESMExports();
    try {
      await expect(resetFolder(dataDir)).rejects.toThrow('the disk is busy');
    } finally {
      refused.mockRestore();
      syncBuiltinESMExports();
    }
    expect(await resetFolder(dataDir)).toEqual([`Deleted ${dataDir}.`]);
  });
});
