import { access } from 'node:fs/promises';
import { withWorld } from '../../tools/bench/world.ts';
import { quietRun } from './support/quiet-run.ts';

describe('the world of a benchmark', () => {
  it('stops everything that was started for it even if one stop fails, and reports the first error', async () => {
    let dataDir = '';
    let isClosed = false;
    const run = withWorld(quietRun(), {}, async (world) => {
      dataDir = world.dataDir;
      world.mongo.once('topologyClosed', () => {
        isClosed = true;
      });
      world.onStop(async () => {
        throw new Error('it did not end');
      });
      throw new Error('the figure is wrong');
    });
    await expect(run).rejects.toThrow('the figure is wrong');
    expect(isClosed).toBe(true);
    await expect(access(dataDir)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('reports a failed stop if nothing else failed', async () => {
    const run = withWorld(quietRun(), {}, async (world) => {
      world.onStop(async () => {
        throw new Error('it did not end');
      });
    });
    await expect(run).rejects.toThrow('it did not end');
  });
});
