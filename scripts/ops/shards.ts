import { COLLECTION_RULES, SHARD_KEYS } from '../../src/store/collection-rules.ts';
import { PARTITIONS } from '../../src/store/documents.ts';
import { configOf } from '../lib/installation.ts';
import { scriptWith } from '../lib/script.ts';

const usage = `
npm run ops -- shards
  Print the commands that shard the database of this service, for mongosh on a router of the cluster: the shard key of each
  collection, and the first distribution of empty ones. Run npm run ops -- migrate first, on the same router.
    MONGODB_DB       the database (default: tideline)

Exit codes: 0 done, 1 not done, 2 the arguments are wrong.
`;

export const shards = scriptWith({
  usage,
  options: {},
  run: async () => {
    const { MONGODB_DB } = process.env;
    process.stdout.write(`${commandsFor(configOf({ ...(MONGODB_DB && { MONGODB_DB }) }).mongodbDb).join('\n')}\n`);
    return 0;
  },
});

/** No index is made unique by its command: an `_id` is unique because its documents have one value of the shard key. */
function commandsFor(dbName: string): string[] {
  return [
    `sh.enableSharding(${JSON.stringify(dbName)})`,
    'shards = db.adminCommand({ listShards: 1 }).shards.map(({ _id }) => _id)',
    ...Object.entries(COLLECTION_RULES).flatMap(([collection, { shard }]) => {
      if (typeof shard !== 'string') return [`// ${collection} is not sharded: ${shard.unsharded}`];
      const key = shown(SHARD_KEYS[shard]);
      const name = JSON.stringify(`${dbName}.${collection}`);
      return [
        `db.getSiblingDB(${JSON.stringify(dbName)}).${collection}.createIndex(${key})`,
        `sh.shardCollection(${name}, ${key}, false)`,
        ...(shard === 'partition' ? [distributed(name)] : []),
      ];
    }),
  ];
}

/** MongoDB distributes an empty collection by itself only if its key is hashed. */
function distributed(name: string): string {
  const bound = (partition: string) => `{ partition: ${partition}, _id: MinKey() }`;
  const range = `moveRange: ${name}, min: ${bound('p')}, max: ${bound('p + 1')}, toShard: shards[p % shards.length]`;
  return `for (let p = 0; p < ${PARTITIONS}; p += 1) db.adminCommand({ ${range} })`;
}

function shown(key: { readonly [path: string]: 1 | 'hashed' }): string {
  const paths = Object.entries(key).map(([path, kind]) => `${path}: ${kind === 1 ? kind : `'${kind}'`}`);
  return `{ ${paths.join(', ')} }`;
}
