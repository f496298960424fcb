import { runInNewContext } from 'node:vm';
import type { MongoClient } from 'mongodb';
import { silentLog } from '../../scripts/lib/silent-log.ts';
import { COLLECTION_RULES, SHARD_KEYS } from '../../src/store/collection-rules.ts';
import { PARTITIONS } from '../../src/store/documents.ts';
import { indexTroubles } from '../../src/store/mongo/index-report.ts';
import type { TemporaryDevnet } from '../../stage/temporary-devnet.ts';
import { startTestDevnet } from '../support/devnet.ts';
import { runOps } from './support/run-script.ts';

it('npm run ops -- shards prints the key of each collection, and gives each shard partitions', async () => {
  const { exitCode, stdout } = await runOps('shards', [], { MONGODB_DB: 'shop' });
  expect(exitCode).toBe(0);
  const keys: unknown[] = [];
  const ranges: unknown[] = [];
  const adminCommand = ({ moveRange, toShard }: { moveRange?: string; toShard: string }) =>
    moveRange === undefined ? { shards: [{ _id: 'a' }, { _id: 'b' }] } : ranges.push([moveRange, toShard]);
  const getSiblingDB = () => new Proxy({}, { get: () => ({ createIndex: () => undefined }) });
  const sh = { enableSharding: () => undefined, shardCollection: (...given: unknown[]) => keys.push(given) };
  runInNewContext(stdout, { db: { adminCommand, getSiblingDB }, sh, MinKey: () => 'least' });
  const expected = Object.entries(COLLECTION_RULES).flatMap(([name, { shard }]) =>
    typeof shard === 'string' ? [[`shop.${name}`, SHARD_KEYS[shard], false]] : [],
  );
  expect(keys).toEqual(expected);
  expect(ranges).toHaveLength(5 * PARTITIONS);
  expect(ranges.slice(0, 3)).toEqual(['a', 'b', 'a'].map((shard) => ['shop.log', shard]));
});

describe('npm run ops -- migrate', () => {
  let devnet: TemporaryDevnet;
  let client: MongoClient;
  const migrate = (uri = devnet.mongoUri) => runOps('migrate', [], { MONGODB_URI: uri });
  const troubles = () => indexTroubles(devnet.mongoUri, 'tideline', silentLog);
  const charges = () => client.db('tideline').collection('charges');

  beforeAll(async () => {
    devnet = await startTestDevnet();
    client = await devnet.openClient();
  });

  it('makes what is missing, in a new database and in a used one', async () => {
    expect(await migrate()).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await charges().indexExists('txHash')).toBe(true);
    await charges().dropIndex('txHash');
    expect(await troubles()).toMatchObject([{ index: 'txHash', kind: 'missing' }]);
    expect(await migrate()).toMatchObject({ exitCode: 0, stdout: 'The database has all collections and indexes.\n' });
    await charges().createIndex({ _id: 'hashed' });
    expect(await troubles()).toEqual([]);
  });

  it('fails with a sentence on an index that differs, and without a database', async () => {
    await charges().dropIndex('txHash');
    await charges().createIndex({ txHash: -1 }, { name: 'txHash' });
    const said = /^The database is not ready: charges has an index that differs[^\n]+\n$/;
    expect(await migrate()).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringMatching(said) });
    const away = await migrate('mongodb://127.0.0.1:1/?directConnection=true');
    expect(away).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/^The database is not ready: [^\n]+\n$/) });
  });
});
