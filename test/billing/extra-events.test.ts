import { createMerchant } from '../../src/billing/administration/merchants.ts';
import { ExtraEvents } from '../../src/billing/events/extra-events.ts';
import type { MerchantDoc } from '../../src/store/collections.ts';
import type { Mode } from '../../src/store/documents.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { LedgerStore, RecordStore } from '../../src/store/port.ts';
import { withRecords } from '../engine/support/stores.ts';
import { deferred } from '../engine/support/world.ts';

let now: Date;
let store: LedgerStore;
let extra: ExtraEvents;
beforeEach(() => {
  now = new Date('2030-01-15T10:00:00.000Z');
  store = openMemoryStore();
  extra = new ExtraEvents({ records: store.records, clock: () => now });
});

async function merchant(): Promise<string> {
  const deps = { store, clock: () => now, platformFeeBps: 100, welcome: async () => {} };
  return (await createMerchant(deps, { name: 'A shop' })).merchant._id;
}

async function turn(merchantId: string, mode: Mode, on: boolean): Promise<MerchantDoc> {
  const set = { [`webhook.extraEvents.${mode}`]: on };
  const changed = await store.records.change('merchants', merchantId, {}, { set });
  if (changed === null) throw new Error(`${merchantId} does not exist`);
  return changed;
}

function read(...merchantIds: readonly string[]): Promise<void> {
  return extra.read(merchantIds.map((merchantId) => ({ kind: 'subscription', merchantId })));
}

function wanted(merchantId: string): readonly Mode[] {
  return (['live', 'test'] as const).filter((mode) => extra.wants({ merchantId, mode }));
}

describe('the switch for opt-in events', () => {
  it('is off for an unread merchant and for an unknown one', async () => {
    const id = await merchant();
    await turn(id, 'test', true);
    expect(wanted(id)).toEqual([]);
    await read('mrc_nobody');
    expect(wanted('mrc_nobody')).toEqual([]);
  });

  it('is read again after a clock was set back', async () => {
    const id = await merchant();
    await read(id);
    now = new Date(now.getTime() - 3_600_000);
    await turn(id, 'test', true);
    now = new Date(now.getTime() + 1_001);
    await read(id);
    expect(wanted(id)).toEqual(['test']);
  });

  it('is read once for many, and not again for a second', async () => {
    const ids = await Promise.all(Array.from({ length: 5 }, merchant));
    const before = store.roundTrips();
    await read(...ids, ...ids);
    expect(store.roundTrips() - before).toBe(1);
    for (const ms of [500, 499]) {
      now = new Date(now.getTime() + ms);
      await read(...ids);
    }
    expect(store.roundTrips() - before).toBe(1);
    now = new Date(now.getTime() + 1);
    await Promise.all([read(...ids), read(...ids), read(ids[0] ?? '')]);
    expect(store.roundTrips() - before).toBe(2);
  });

  it('is effective within a second after another process has changed it', async () => {
    const id = await merchant();
    await read(id);
    await turn(id, 'live', true);
    now = new Date(now.getTime() + 1_000);
    await read(id);
    expect(wanted(id)).toEqual(['live']);
  });

  it('is effective at once in the process that changed it', async () => {
    const id = await merchant();
    await read(id);
    extra.note(await turn(id, 'test', true));
    expect(wanted(id)).toEqual(['test']);
    extra.note(await turn(id, 'test', false));
    expect(wanted(id)).toEqual([]);
  });

  it('is not undone by a read that began earlier', async () => {
    const id = await merchant();
    const answer = deferred<void>();
    const slow: Pick<RecordStore, 'get'> = withRecords(store, (records) => ({
      get: async (from, ids) => {
        const found = await records.get(from, ids);
        await answer.promise;
        return found;
      },
    })).records;
    extra = new ExtraEvents({ records: slow, clock: () => now });
    const reading = read(id);
    extra.note(await turn(id, 'test', true));
    answer.resolve();
    await reading;
    expect(wanted(id)).toEqual(['test']);
  });

  it('is not read if no event is emitted', async () => {
    const before = store.roundTrips();
    await extra.read([]);
    expect(store.roundTrips() - before).toBe(0);
  });

  it('fails the batch that needs it if the read fails, and is read again for the next', async () => {
    const id = await merchant();
    await turn(id, 'test', true);
    let isDown = true;
    const shaky = withRecords(store, (records) => ({
      get: async (from, ids) => {
        if (isDown) throw new Error('no answer');
        return records.get(from, ids);
      },
    }));
    extra = new ExtraEvents({ records: shaky.records, clock: () => now });
    await expect(read(id)).rejects.toThrow('no answer');
    isDown = false;
    await read(id);
    expect(wanted(id)).toEqual(['test']);
  });
});
