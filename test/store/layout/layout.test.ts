import type { MongoClient } from 'mongodb';
import { silentLog } from '../../../scripts/lib/silent-log.ts';
import { LAYOUT } from '../../../src/store/mongo/layout.ts';
import { openMongoStore } from '../../../src/store/mongo/store.ts';
import type { TemporaryDevnet } from '../../../stage/temporary-devnet.ts';
import { startTestDevnet } from '../../support/devnet.ts';

let devnet: TemporaryDevnet;
let client: MongoClient;

beforeAll(async () => {
  devnet = await startTestDevnet();
  client = await devnet.openClient();
});

function open(dbName: string, isEmbedded = false) {
  return openMongoStore({ uri: devnet.mongoUri, dbName, log: silentLog, isEmbedded });
}

function settings(dbName: string) {
  return client.db(dbName).collection<{ _id: string; value: string }>('settings');
}

const REMEDIES = [
  ['an embedded database', true, /: npm run reset deletes the data folder, and the next start makes a new one$/],
  ['a database of MONGODB_URI', false, /: drop the database \w+, or name another one in MONGODB_DB$/],
] as const;

describe('the layout of a database', () => {
  it('is stored at the first start, once, also if several processes start at the same moment', async () => {
    const stores = await Promise.all([open('fresh'), open('fresh'), open('fresh')]);
    for (const store of [...stores, await open('fresh')]) await store.close();
    expect(await settings('fresh').find({ _id: 'layout' }).toArray()).toEqual([
      { _id: 'layout', value: String(LAYOUT) },
    ]);
  });

  it('is stored by a start after one that died before it', async () => {
    await client.db('begun').createCollection('settings');
    await (await open('begun')).close();
    expect(await settings('begun').countDocuments({ _id: 'layout' })).toBe(1);
  });

  describe.each(REMEDIES)('of %s', (_, isEmbedded, remedy) => {
    const name = isEmbedded ? 'ours' : 'theirs';

    it('with another number is refused by a sentence that names the remedy, and not changed', async () => {
      await (await open(name, isEmbedded)).close();
      const next = String(LAYOUT + 1);
      await settings(name).updateOne({ _id: 'layout' }, { $set: { value: next } });
      const opened = open(name, isEmbedded);
      await expect(opened).rejects.toThrow(`the database ${name} has data of layout ${next}, and this version reads`);
      await expect(opened).rejects.toThrow(remedy);
      expect(await settings(name).findOne({ _id: 'layout' })).toEqual({ _id: 'layout', value: next });
    });

    it('without a number is refused by a sentence that names the remedy, and gets none', async () => {
      const db = `${name}-old`.replace('-', '_');
      await client.db(db).collection<{ _id: string }>('merchants').insertOne({ _id: 'mrc_old' });
      const opened = open(db, isEmbedded);
      await expect(opened).rejects.toThrow(
        `the database ${db} has data without a layout number, and this version reads`,
      );
      await expect(opened).rejects.toThrow(remedy);
      const collections = await client.db(db).listCollections({}, { nameOnly: true }).toArray();
      expect(collections.map((each) => each.name)).toEqual(['merchants']);
    });
  });
});
