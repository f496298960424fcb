import { openMongoStore } from '../../src/store/mongo/store.ts';
import type { TemporaryDevnet } from '../../stage/temporary-devnet.ts';
import { startTestDevnet } from '../support/devnet.ts';
import { FaultyLine } from './support/faulty-line.ts';

describe('a store that is opened before its server answers', () => {
  let devnet: TemporaryDevnet;
  let line: FaultyLine;
  beforeAll(async () => {
    devnet = await startTestDevnet();
    line = await FaultyLine.before(devnet.mongoUri);
  });
  afterAll(() => line?.close());

  it('asks again, and says so', async () => {
    line.cut();
    const logged: string[] = [];
    const warn = (_: object, message: string) => {
      logged.push(message);
      if (message.endsWith('asking again')) line.restore();
    };
    const store = await openMongoStore({ uri: line.uri, dbName: 'late', log: { info: () => undefined, warn } });
    expect(await store.ping()).toBe(true);
    expect(logged).toContain('MongoDB does not answer yet; asking again');
    await store.close();
  });
});
