import { describe, expect, it } from '@jest/globals';
import { ChargingRoom } from '../../src/billing/charging-room.ts';
import { createChains } from '../../src/chains/registry.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import { at, charge } from '../store/support/documents.ts';
import { scriptedChain } from '../support/scripted-chain.ts';

const LIMITS = { waiting: 10, few: 2, lookMs: 5, stuckMs: 60_000, heldMs: 60_000 };

async function roomWith(waiting: number, limits: Partial<typeof LIMITS> = {}) {
  const store = openMemoryStore();
  const docs = Array.from({ length: waiting }, (_, index) => charge({ notBefore: at(index) }));
  await store.records.insert('charges', docs);
  const room = new ChargingRoom({ store, chains: createChains([scriptedChain()]) }, { ...LIMITS, ...limits });
  return { store, docs, room };
}

/** Whether it has been let through, once it has been looked at so often. */
async function passedAfter(asked: Promise<boolean>, looks: number, trips: () => number): Promise<boolean> {
  let passed = false;
  void asked.then(() => {
    passed = true;
  });
  const enough = trips() + looks;
  while (!passed && trips() < enough) await new Promise((resolve) => setTimeout(resolve, 1));
  return passed;
}

describe('what falls due in large numbers', () => {
  it('is let through while senders have room', async () => {
    const { room } = await roomWith(10);
    await expect(room.for(100)).resolves.toBe(true);
  });

  it('is held back while hundreds wait, and goes on when they have been taken', async () => {
    const { room, store, docs } = await roomWith(11);
    const asked = room.for(100);
    expect(await passedAfter(asked, 6, store.roundTrips)).toBe(false);
    await store.records.change('charges', docs[0]?._id ?? '', {}, { set: { state: 'started' } });
    await expect(asked).resolves.toBe(true);
  });

  it('is let through at once where it is few', async () => {
    const { room, store } = await roomWith(50);
    const before = store.roundTrips();
    expect(await room.for(2)).toBe(true);
    expect(store.roundTrips()).toBe(before);
  });

  it('does not wait for a chain that does not move', async () => {
    const { room } = await roomWith(50, { stuckMs: 20 });
    await expect(room.for(100)).resolves.toBe(true);
  });

  it('is turned away when there has been no room for a while', async () => {
    const { room } = await roomWith(50, { heldMs: 20 });
    await expect(room.for(100)).resolves.toBe(false);
  });

  it('is looked for once, however many ask', async () => {
    const { room, store } = await roomWith(0, { lookMs: 1_000 });
    const before = store.roundTrips();
    await Promise.all([room.for(100), room.for(100), room.for(100)]);
    expect(store.roundTrips() - before).toBe(1);
  });
});
