import type { Dispatch } from '../../src/engine/types.ts';
import { endMomentsAhead } from '../../src/service/moments.ts';
import { actor, at, charge, delivery, effects, offer, permit, transaction, watch } from '../store/support/documents.ts';
import { startTestDevnet } from '../support/devnet.ts';
import { ExplainedStore } from '../support/explained-store.ts';

/** A pause of a minute, stored with the right clock, and with one that was ten hours ahead. */
const [NOW, RIGHT, WRONG] = [at(0), at(60_000), at(36_060_000)];

it('makes moments due that were stored while the clock was ahead, and no others', async () => {
  const devnet = await startTestDevnet();
  const explained = new ExplainedStore(await devnet.openStore('moments'));
  const { records, actors } = explained.store;
  const both = [WRONG, RIGHT];
  const stored = [
    ['charges', 'notBefore', both.map((notBefore) => charge({ notBefore }))],
    ['permits', 'notBefore', both.map((notBefore) => permit({ notBefore, chainId: 31_337 }))],
    ['transactions', 'askAt', both.map((askAt) => transaction({ askAt }))],
    ['watches', 'lookAt', both.map((lookAt) => watch({ lookAt }))],
    ['offers', 'relayAt', both.map((relayAt) => offer({ relayAt, outbox: effects('off', 1, 1) }))],
  ] as const;
  for (const [of, , docs] of stored) await records.insert(of, docs);
  const deliveries = [WRONG, NOW].map((updatedAt) => delivery({ status: 'retrying', wakeAt: WRONG, updatedAt }));
  const payments = [WRONG, NOW].map((updatedAt) => actor({ kind: 'payment', wakeAt: WRONG, updatedAt }));
  await actors.insert('delivery', deliveries);
  await actors.insert('payment', payments);
  const sent: Dispatch[] = [];
  const dispatchMany = async (requests: readonly Dispatch[]) => {
    sent.push(...requests);
    return [];
  };
  const about = { engine: { dispatchMany }, clock: () => NOW, chainIds: [31_337] };
  await endMomentsAhead({ store: explained.store, ...about });
  expect(await explained.scans((await devnet.openClient()).db('moments'))).toEqual([]);
  for (const [of, field, docs] of stored) {
    const ids = docs.map(({ _id }) => _id);
    expect(await records.get(of, ids)).toMatchObject([{ [field]: NOW }, { [field]: RIGHT }]);
  }
  expect(sent.map(({ id, event }) => [id, event.type])).toEqual([
    [deliveries[0]?._id, 'redelivery.requested'],
    [payments[0]?._id, 'pause.lifted'],
  ]);
}, 120_000);
