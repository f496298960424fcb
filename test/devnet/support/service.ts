import { MongoClient } from 'mongodb';
import { joinDevnet } from '../../../devnet/join.ts';

/**
 * A service process for tests that kill it. It joins the folder in its argument and inserts document after document,
 * and prints the number of each one that was acknowledged as journaled. (Not `w: 'majority'`: the embedded engine
 * answers that before the journal is on the disk, even with `journal: true`.)
 */
async function main(dataDir: string): Promise<void> {
  const want = { mongo: true, evm: true };
  const devnet = await joinDevnet({ dataDir, version: '1', want, evmPort: 0, lingerMs: 3000, log: console.error });
  const client = new MongoClient(devnet.mongo?.uri ?? '');
  const numbers = client.db('test').collection<{ _id: number }>('numbers');
  for (let number = 1; ; number += 1) {
    await numbers.insertOne({ _id: number }, { writeConcern: { w: 1, journal: true } });
    console.log(number);
  }
}

await main(process.argv[2] ?? '');
