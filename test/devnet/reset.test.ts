import { access, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resetFolder } from '../../src/devnet/reset.ts';
import { BOTH, joinAt, tempFolder } from './support/folders.ts';
import { processOf, SUPERVISOR, untilNoneIsLeft } from './support/processes.ts';

describe('the reset of a data folder', () => {
  it('ends what runs on it, tells the services, and deletes it', async () => {
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

  it('deletes a folder on which nothing runs, and what a killed supervisor left elsewhere', async () => {
    const dataDir = join(await tempFolder(), 'data');
    const { mongo } = await joinAt(dataDir, BOTH);
    process.kill(await processOf(dataDir, SUPERVISOR), 'SIGKILL');
    await untilNoneIsLeft(dataDir);
    expect(await resetFolder(dataDir)).toEqual([`Deleted ${dataDir}.`]);
    const socket = decodeURIComponent(/mongodb:\/\/([^/?]+)/.exec(mongo?.uri ?? '')?.[1] ?? '');
    expect(socket).toContain('tideline-run-');
    await expect(access(join(socket, '..', '..'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('has nothing to do where there is no folder', async () => {
    const dataDir = join(await tempFolder(), 'data');
    expect(await resetFolder(dataDir)).toEqual([`There is no folder ${dataDir}: nothing to do.`]);
  });

  it('refuses a folder that Tideline has not made', async () => {
    const dataDir = await tempFolder();
    await writeFile(join(dataDir, 'letters.txt'), 'dear');
    await expect(resetFolder(dataDir)).rejects.toThrow(`${dataDir} was not deleted: it holds no folder.json`);
    expect(await readdir(dataDir)).toEqual(['letters.txt']);
  });

  it('refuses a folder that is also something else', async () => {
    const dataDir = await tempFolder();
    await (await joinAt(dataDir)).leave({ graceful: true });
    await mkdir(join(dataDir, '.git'));
    await expect(resetFolder(dataDir)).rejects.toThrow('it holds .git, which no data folder does');
    expect(await readdir(dataDir)).toContain('evm-state.json');
  });
});
