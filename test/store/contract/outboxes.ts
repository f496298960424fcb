import type { StoredActor } from '../../../src/store/documents.ts';
import type { Store } from '../../../src/store/port.ts';
import { actor, at, commitOf, customer, effects, offer, ownPartition, unique, wallet } from '../support/documents.ts';

/** Outboxes: waiting, acknowledged and failed effects. */
export function outboxContract(open: () => Store): void {
  async function waiting(count: number, fields: Partial<StoredActor> = {}): Promise<StoredActor> {
    const _id = unique('sub');
    const doc = actor({ _id, relayAt: at(1), outbox: effects(_id, 1, count), ...fields });
    await open().actors.insert('subscription', [doc]);
    return doc;
  }

  async function reload(id: string): Promise<StoredActor | undefined> {
    return (await open().actors.load('subscription', [id]))[0];
  }

  describe('unrelayed', () => {
    it('returns the documents that have waited until then, oldest first, with their effects in order', async () => {
      const [mine, other] = [ownPartition(), ownPartition()];
      const late = await waiting(1, { partition: mine, relayAt: at(30), relayFailures: 4 });
      const early = await waiting(3, { partition: other, relayAt: at(10) });
      await waiting(1, { partition: mine, relayAt: at(99) });
      await waiting(1, { partition: ownPartition(), relayAt: at(1) });
      const found = await open().outboxes.unrelayed('subscription', [mine, other], at(50), 10);
      expect(found).toEqual(
        [early, late].map(({ _id, merchantId, mode, rev, outbox, relayFailures, machineVersion }) => ({
          ...{ _id, merchantId, mode, rev, outbox, relayFailures, machineVersion },
        })),
      );
      expect(await open().outboxes.unrelayed('subscription', [mine, other], at(50), 1)).toHaveLength(1);
      expect(await open().outboxes.unrelayed('subscription', [mine, other], at(50), 0)).toEqual([]);
    });
  });

  describe('ack', () => {
    it("removes the effects, and clears the document's marks when nothing is left", async () => {
      const doc = await waiting(2, { relayFailures: 3 });
      const ids = doc.outbox.map(({ id }) => id);
      await open().outboxes.ack('subscription', [{ id: doc._id, effectIds: ids }]);
      expect(await reload(doc._id)).toEqual({ ...doc, outbox: [], relayAt: null, relayFailures: 0 });
    });

    it('keeps newer effects, and with them relayAt and the count of failures', async () => {
      const doc = await waiting(2, { relayFailures: 3 });
      const newer = effects(doc._id, 2, 2);
      await open().actors.commit('subscription', [commitOf(doc, { effects: newer, relayAt: at(8) })]);
      await open().outboxes.ack('subscription', [{ id: doc._id, effectIds: doc.outbox.map(({ id }) => id) }]);
      expect(await reload(doc._id)).toMatchObject({ rev: 2, outbox: newer, relayAt: at(8), relayFailures: 3 });
    });

    it('serves many documents in one call, each with its own effects', async () => {
      const [all, some, none, idle] = [await waiting(2), await waiting(3), await waiting(1), await waiting(1)];
      await open().outboxes.ack('subscription', [
        { id: all._id, effectIds: all.outbox.map(({ id }) => id) },
        { id: some._id, effectIds: [`${some._id}:1:0`, `${some._id}:1:1`] },
        { id: none._id, effectIds: [] },
        { id: 'nobody', effectIds: ['nobody:1:0'] },
      ]);
      expect(await reload(all._id)).toMatchObject({ outbox: [], relayAt: null });
      expect((await reload(some._id))?.outbox.map(({ id }) => id)).toEqual([`${some._id}:1:2`]);
      expect(await reload(none._id)).toEqual(none);
      expect(await reload(idle._id)).toEqual(idle);
    });

    it('may be repeated', async () => {
      const doc = await waiting(1);
      const done = [{ id: doc._id, effectIds: [`${doc._id}:1:0`] }];
      await open().outboxes.ack('subscription', done);
      await open().outboxes.ack('subscription', done);
      expect(await reload(doc._id)).toMatchObject({ outbox: [], relayAt: null });
    });

    it('loses no effect to simultaneous commits', async () => {
      const doc = await waiting(1);
      const expected = new Set<string>();
      for (let rev = 1; rev <= 20; rev++) {
        const last = await reload(doc._id);
        if (last === undefined) throw new Error('the document is gone');
        const next = effects(doc._id, rev + 1, 1);
        await Promise.all([
          open().actors.commit('subscription', [commitOf(last, { effects: next, relayAt: at(rev) })]),
          open().outboxes.ack('subscription', [{ id: doc._id, effectIds: last.outbox.map(({ id }) => id) }]),
        ]);
        expected.add(`${doc._id}:${rev + 1}:0`);
        const after = await reload(doc._id);
        expect(after?.outbox.map(({ id }) => id)).toEqual([`${doc._id}:${rev + 1}:0`]);
        expect(after?.relayAt).toEqual(at(rev));
      }
      expect(expected.size).toBe(20);
    });
  });

  describe('failed', () => {
    it('counts, and sets the time of the next try', async () => {
      const doc = await waiting(1);
      expect(await open().outboxes.failed('subscription', doc._id, at(100), 1)).toBe(1);
      expect(await open().outboxes.failed('subscription', doc._id, at(150), 1)).toBe(2);
      expect(await open().outboxes.failed('subscription', doc._id, at(200), 0)).toBe(2);
      expect(await reload(doc._id)).toEqual({ ...doc, relayAt: at(200), relayFailures: 2 });
    });

    it('is 0 for an unknown document, and for one without effects', async () => {
      expect(await open().outboxes.failed('subscription', 'nobody', at(1), 1)).toBe(0);
      const doc = await waiting(0, { relayAt: null });
      expect(await open().outboxes.failed('subscription', doc._id, at(1), 1)).toBe(0);
      expect(await reload(doc._id)).toEqual(doc);
    });
  });

  it('serves the outboxes of plain resources as well', async () => {
    const partition = ownPartition();
    const outbox = effects(unique('e'), 1, 1);
    const shared = { partition, outbox, relayAt: at(1) };
    const resources = {
      offers: offer({ ...shared, metadata: KEYS }),
      customers: customer(shared),
      wallets: wallet(shared),
    };
    await open().records.insert('offers', [resources.offers]);
    await open().records.insert('customers', [resources.customers]);
    await open().records.insert('wallets', [resources.wallets]);
    for (const from of ['offers', 'customers', 'wallets'] as const) {
      const { _id } = resources[from];
      const [found] = await open().outboxes.unrelayed(from, [partition], at(1), 10);
      expect(found).toMatchObject({ _id, rev: 1, outbox });
      expect(await open().outboxes.failed(from, _id, at(2), 1)).toBe(1);
      expect(await open().outboxes.unrelayed(from, [partition], at(1), 10)).toEqual([]);
      await open().outboxes.ack(from, [{ id: _id, effectIds: outbox.map(({ id }) => id) }]);
      expect(await open().outboxes.unrelayed(from, [partition], at(9), 10)).toEqual([]);
      const cleared = { outbox: [], relayAt: null, relayFailures: 0 };
      expect((await open().records.get(from, [_id]))[0]).toEqual({ ...resources[from], ...cleared });
    }
  });
}

/** Names that an update could confuse with operators or paths. */
const KEYS = { 'a.b': 'dots', $x: 'dollar', y: '$name' };
