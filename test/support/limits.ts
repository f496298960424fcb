import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openMongoStore } from '../../src/store/mongo/store.ts';

const quiet = { info: () => {}, warn: () => {} };

/** Multiplies a merchant's limits, for what a merchant of the default ones would have to wait for. */
export async function raiseLimits(dataDir: string, merchantId: string, limitFactor: number): Promise<void> {
  const uri = (await readFile(join(dataDir, 'mongodb.uri'), 'utf8')).trim();
  const store = await openMongoStore({ uri, dbName: 'tideline', log: quiet });
  try {
    await store.records.change('merchants', merchantId, {}, { set: { limitFactor } });
  } finally {
    await store.close();
  }
}
