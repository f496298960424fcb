import { setImmediate as immediately } from 'node:timers/promises';
import { silentLog } from '../../../scripts/lib/silent-log.ts';
import { openMongoStore } from '../../../src/store/mongo/store.ts';
import type { Store } from '../../../src/store/port.ts';
import { type Database, startDatabase } from '../../../tools/crashtest/database.ts';
import { event } from '../../store/support/documents.ts';

let database: Database;
let store: Store;

beforeAll(async () => {
  database = await startDatabase();
  store = await openMongoStore({ uri: database.uri, dbName: 'struck', log: silentLog });
});

afterAll(async () => {
  await store?.close();
  await database?.stop();
});

it('has all data from before a kill at the same address when it is back', async () => {
  const doc = event();
  expect(await store.records.insert('events', [doc])).toEqual([{ inserted: true }]);
  await database.killAndRestart();
  // The first command after the kill may still use a dead line.
  while (!(await store.ping())) await immediately();
  expect(await store.records.get('events', [doc._id])).toHaveLength(1);
  expect(await store.records.insert('events', [doc])).toEqual([{ inserted: false, index: '_id' }]);
});
