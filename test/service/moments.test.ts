import type { Dispatch } from '../../src/engine/types.ts';
import { endMomentsAhead } from '../../src/service/moments.ts';
import {
  actor,
  at,
  charge,
  event,
  insertActors,
  outbox,
  permit,
  transaction,
  watch,
} from '../store/support/documents.ts';
import { startTestDevnet } from '../support/devnet.ts';
import { ExplainedStore } from '../support/explained-store.ts';

/** A pause of a minute, stored with the right clock, and with one that was ten hours ahead. */
const [NOW, RIGHT, WRONG] = [at(0), at(60_000), at(36_060_000)];

/** The longest pauses of a refund and of a deferred charge. */
const [REST, HOUR] = [at(240_000), at(3_600_000)];
const REFUND = { kind: 'refund', account: '0x' } as const;

it('makes moments due that were stored while the clock was ahead, and no others', async () => {
  const devnet = await startTestDevnet();
  const explained = new ExplainedStore(await devnet.openStore('moments'));
  const { records, actors } = explained.store;
  const both = [WRONG, RIGHT];
  const stored = [
    ['charges', 'notBefore', both.map((notBefore) => charge({ notBefore }))],
    ['charges', 'notBefore', [WRONG, REST].map((notBefore) => charge({ notBefore, deposit: REFUND }))],
    ['charges', 'updatedAt', [WRONG, NOW].map((updatedAt) => charge({ state: 'sent', updatedAt }))],
    ['permits', 'notBefore', both.map((notBefore) => permit({ notBefore, chainId: 31_337 }))],
    ['transactions', 'askAt', both.map((askAt) => transaction({ askAt }))],
    ['watches', 'lookAt', both.map((lookAt) => watch({ lookAt }))],
    ['outbox', 'at', both.map((relayAt) => outbox({ at: relayAt }))],
    ['events', 'wakeAt', [WRONG, NOW].map((updatedAt) => event({ status: 'sending', wakeAt: WRONG, updatedAt }))],
  ] as const;
  for (const [of, , docs] of stored) await records.insert(of, docs);
  const payments = [WRONG, NOW].map((updatedAt) => actor({ kind: 'payment', wakeAt: WRONG, updatedAt }));
  const deferred = [WRONG, HOUR].map((wakeAt) => actor({ wakeAt, context: { deferred: { why: 'sold_out' } } }));
  for (const doc of payments) await insertActors({ actors, records }, [doc]);
  await insertActors({ actors, records }, [...deferred, actor({ wakeAt: WRONG, context: { deferred: null } })]);
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
    const found = new Map((await records.get(of, ids)).map((doc) => [doc._id, doc]));
    expect(ids.map((id) => found.get(id))).toMatchObject([{ [field]: NOW }, docs[1]]);
  }
  const wakes = new Map(sent.map(({ id, event }) => [id, event]));
  expect(wakes).toEqual(
    new Map<string | undefined, unknown>([
      [payments[0]?._id, { type: 'pause.lifted' }],
      [deferred[0]?._id, { type: 'deferral.lifted', why: 'sold_out' }],
    ]),
  );
}, 120_000);
