import { setImmediate as turn } from 'node:timers/promises';
import { StoreUnavailable } from '../../src/store/errors.ts';
import { openMongoStore } from '../../src/store/mongo/store.ts';
import type { Store } from '../../src/store/port.ts';
import { startTestDevnet } from '../support/devnet.ts';
import { event } from './support/documents.ts';
import { FaultyLine } from './support/faulty-line.ts';

const ANEW = /^the driver no longer checks MongoDB/;

/** A driver whose server check never ends. All lines breaking in one turn of the event loop cause this. */
describe('the store whose driver has stopped checking the server', () => {
  let line: FaultyLine;
  let store: Store;
  const logged: string[] = [];
  const log = { info: () => undefined, warn: (_: object, message: string) => void logged.push(message) };

  beforeAll(async () => {
    const devnet = await startTestDevnet();
    line = await FaultyLine.before(devnet.mongoUri);
    devnet.onStop(() => line.close());
    store = await openMongoStore({ uri: `${line.uri}&connectTimeoutMS=500`, dbName: 'blind', log });
    await store.records.insert('events', [event({ _id: 'evt_1' })]);
  });
  afterAll(async () => {
    await store?.close();
  });

  const read = () => store.records.get('events', ['evt_1']);

  /** Reads on many lines; `meanwhile` happens when all are sent. True if all were answered in the end. */
  async function readMany(meanwhile: () => void, turns = 1): Promise<boolean> {
    const reading = Promise.allSettled(Array.from({ length: 24 }, read));
    // Gives the event loop turns even if all fail at once, as they do while the client is closed.
    for (let n = 0; n < turns; n++) await turn();
    meanwhile();
    const outcomes = await reading;
    const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    for (const error of errors) expect(error).toBeInstanceOf(StoreUnavailable);
    return errors.length === 0;
  }

  /** Closes every line at once; the next one is accepted. */
  function breakAll(): void {
    line.cut();
    line.restore();
  }

  it('reconnects its client, and reads again', async () => {
    let broken = 0;
    let answered = await readMany(() => undefined);
    const deadline = performance.now() + 25_000;
    while (!logged.some((message) => ANEW.test(message)) && performance.now() < deadline) {
      if (answered) broken++;
      answered = await readMany(answered ? breakAll : () => undefined, 1 + (broken % 16));
    }
    expect(broken).toBeGreaterThan(0);
    while (!(await store.ping()) && performance.now() < deadline) await turn();
    expect(await read()).toHaveLength(1);
    expect(logged.filter((message) => ANEW.test(message))).toHaveLength(1);
  }, 120_000);

  it('stays closed after a close', async () => {
    await store.close();
    await expect(read()).rejects.toThrow(StoreUnavailable);
  });
});
