import { openMemoryStore } from '../../src/store/memory/store.ts';
import { scriptedChain } from '../../stage/scripted-chain.ts';
import { withRecords } from '../engine/support/stores.ts';
import { deferred } from '../engine/support/world.ts';
import { paymentBody } from '../support/bodies.ts';
import { type HttpHarness, idOf, startHttp } from '../support/http.ts';

const TWINS = 8;

/** The longest time before a request is answered with the current state. */
const WAITED_MS = 25_000;

let http: HttpHarness;
let key: string;

/** Every claim of a key waits until all requests are about to claim it: each has read, and found no payment. */
beforeAll(async () => {
  const store = openMemoryStore();
  const all = deferred<undefined>();
  let claiming = 0;
  const raced = withRecords(store, (records) => ({
    insert: async (into, docs) => {
      if (into === 'paymentKeys' && ++claiming === TWINS) all.resolve(undefined);
      if (into === 'paymentKeys') await all.promise;
      return records.insert(into, docs);
    },
  }));
  http = await startHttp({ chains: [scriptedChain()], store: raced });
  key = (await http.merchant()).testKey;
});

it('makes one payment for simultaneous creates that all found the key free', async () => {
  let isAnswered = false;
  const asked = Array.from({ length: TWINS }, () => http.call('POST', '/payments', { key, body: paymentBody() }));
  const answers = Promise.all(asked).finally(() => {
    isAnswered = true;
  });
  while (!isAnswered) {
    http.now = new Date(http.now.getTime() + WAITED_MS);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const replies = await answers;
  expect(replies.map(({ status }) => status).sort()).toEqual([...Array.from({ length: TWINS - 1 }, () => 200), 201]);
  expect(new Set(replies.map(idOf)).size).toBe(1);
  expect(await http.store.actors.count('payment', {})).toBe(1);
});
