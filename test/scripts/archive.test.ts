import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { spyOn } from 'jest-mock';
import { archive, restoreArchive } from '../../scripts/ops/archive/archive.ts';
import { type Disk, openFolder } from '../../scripts/ops/archive/disk.ts';
import { archivedBefore } from '../../src/billing/events/archived.ts';
import { replayStored } from '../../src/engine/replay.ts';
import { rowId } from '../../src/store/actors/heads.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { LedgerStore } from '../../src/store/port.ts';
import { TOYS } from '../engine/support/toy.ts';
import { openToy, play, quiet, type World } from '../engine/support/world.ts';
import { temporaryFolder } from '../runner/after.ts';
import { event } from '../store/support/documents.ts';
import { startTestDevnet } from '../support/devnet.ts';

const DAY_MS = 86_400_000;

let folder: string;
let disk: Disk;
beforeEach(async () => {
  folder = await temporaryFolder();
  disk = await openFolder(folder);
});

const devnet = await startTestDevnet();
/** Names that an archive could take for its own. */
const DATA = { metadata: { $date: '2026-01-01', $$date: 'x', plain: 'y' } };
let databases = 0;
const STORES: readonly [string, () => Promise<LedgerStore>][] = [
  ['in memory', async () => openMemoryStore()],
  ['on MongoDB', () => devnet.openStore(`archive${++databases}`)],
];

/** A toy with four old rows and, after `before`, a new one; and three events. */
async function old(store: LedgerStore): Promise<{ world: World; id: string; before: Date }> {
  const { world, id } = await openToy({ store });
  for (const add of [1, 2, 3]) await world.engine.dispatch(play(id, { add }));
  const createdAt = world.clock.now();
  world.clock.advance(DAY_MS);
  const before = world.clock.now();
  await world.engine.dispatch(play(id, { add: 4 }));
  await quiet(world);
  const ended = event({ _id: 'evt_ended', createdAt, data: DATA });
  const waiting = event({ _id: 'evt_waiting', createdAt, status: 'retrying', wakeAt: before });
  await world.store.records.insert('events', [ended, waiting, event({ _id: 'evt_new', createdAt: before })]);
  return { world, id, before };
}

const archived = ({ store }: World, before: Date, to: Disk = disk) =>
  archive({ store, machines: TOYS, disk: to }, 'op_1', before);
const revsOf = async (world: World, id: string) => (await world.journal(id)).map(({ rev }) => rev);
const eventsOf = async ({ store: { records } }: World) =>
  (await records.find('events', { where: {}, sort: [['_id', 1]], limit: 9 })).map(({ _id }) => _id);

async function expectEverything(world: World, id: string): Promise<void> {
  expect(await revsOf(world, id)).toEqual([1, 2, 3, 4, 5]);
  expect(await eventsOf(world)).toEqual(['evt_ended', 'evt_new', 'evt_waiting']);
}

describe.each(STORES)('an archive %s', (_, open) => {
  it('has old rows and ended events, and all of them come back; meanwhile the actor goes on and is replayed', async () => {
    const { world, id, before } = await old(await open());
    const [doc, journal] = [await world.stored(id), await world.journal(id)];
    expect(await archived(world, before)).toEqual({ rows: 4, events: 1, unsound: [] });
    expect(await world.stored(id)).toMatchObject({ rev: 5, context: doc.context });
    expect(await revsOf(world, id)).toEqual([4, 5]);
    expect(await eventsOf(world)).toEqual(['evt_new', 'evt_waiting']);
    expect(await archivedBefore(world.store.records)).toBe(before.toISOString());
    await world.playOut(id, { add: 5 });
    expect(await world.replayed(id)).toMatchObject({ rev: 6, state: { context: { count: 15 } } });
    expect(await archived(world, before)).toEqual({ rows: 0, events: 0, unsound: [] });
    expect(await restoreArchive({ store: world.store, disk })).toEqual({ rows: 4, events: 1, unsound: [] });
    expect((await world.journal(id)).slice(0, 5)).toEqual(journal);
    expect(await world.store.records.get('events', ['evt_ended'])).toMatchObject([{ data: DATA }]);
    expect(await eventsOf(world)).toEqual(['evt_ended', 'evt_new', 'evt_waiting']);
    expect(await world.replayed(id)).toMatchObject({ rev: 6 });
    expect(await archivedBefore(world.store.records)).toBeNull();
  });

  it('of rows that stand for earlier ones comes back before those', async () => {
    const { world, id, before } = await old(await open());
    await archived(world, before);
    world.clock.advance(DAY_MS);
    const later = await openFolder(join(folder, 'later'));
    await archived(world, world.clock.now(), later);
    expect(await revsOf(world, id)).toEqual([5]);
    expect(await world.replayed(id)).toMatchObject({ rev: 5, state: { context: { count: 10 } } });
    const tooEarly = await restoreArchive({ store: world.store, disk });
    expect(tooEarly.unsound).toEqual([`${id}: restore the newer archive of its rows first`]);
    expect((await restoreArchive({ store: world.store, disk: later })).unsound).toEqual([]);
    expect(await revsOf(world, id)).toEqual([4, 5]);
    await restoreArchive({ store: world.store, disk });
    await expectEverything(world, id);
  });

  it('removes nothing that its file does not have, and names the file', async () => {
    const { world, id, before } = await old(await open());
    const damaged: Disk = { ...disk, read: async (name) => (await disk.read(name))?.subarray(0, 20) ?? null };
    await expect(archived(world, before, damaged)).rejects.toThrow('part-000001.jsonl.gz is damaged or missing');
    await expectEverything(world, id);
    const lost: Disk = { ...disk, write: async () => Promise.reject(new Error('the disk is full')) };
    await expect(archived(world, before, lost)).rejects.toThrow('the disk is full');
    await expectEverything(world, id);
    expect(await archived(world, before)).toMatchObject({ rows: 4, events: 1 });
    expect(await readdir(folder)).toEqual(['manifest.json', 'part-000001.jsonl.gz', 'part-000002.jsonl.gz']);
  });

  it('that was interrupted while it removed rows can be replayed, and is completed by the next call', async () => {
    const { world, id, before } = await old(await open());
    const journal = await world.journal(id);
    const remove = spyOn(world.store.records, 'remove').mockRejectedValueOnce(new Error('killed'));
    await expect(archived(world, before)).rejects.toThrow('killed');
    remove.mockRestore();
    expect(await replayStored(world.store, TOYS, await world.stored(id))).toMatchObject({ problem: null });
    expect(await archived(world, before)).toEqual({ rows: 4, events: 1, unsound: [] });
    expect((await world.store.records.find('log', { where: {}, limit: 9 })).map(({ rev }) => rev).sort()).toEqual([
      4, 5,
    ]);
    await restoreArchive({ store: world.store, disk });
    expect(await world.journal(id)).toEqual(journal);
  });

  it('has old rows of usage, but for the newest one, which has the total', async () => {
    const { world, id, before } = await old(await open());
    const { records } = world.store;
    const rows = [1, 2, 3].map((sequence) => {
      const used = [{ key: `run ${sequence}`, quantity: 1, at: before.toISOString() }];
      const row = { subscriptionId: id, sequence, records: used, total: sequence, createdAt: new Date(0) };
      return { _id: `${id}:${sequence}`, ...row };
    });
    await records.insert('usage', rows);
    const stored = () => records.find('usage', { where: { subscriptionId: id }, sort: [['sequence', 1]], limit: 9 });
    expect(await archived(world, before)).toMatchObject({ rows: 6 });
    expect(await stored()).toEqual(rows.slice(2));
    expect(await restoreArchive({ store: world.store, disk })).toMatchObject({ rows: 6 });
    expect(await stored()).toEqual(rows);
  });

  it('of nothing can be restored, and is then forgotten', async () => {
    const { world, id } = await old(await open());
    const before = new Date(0);
    expect(await archived(world, before)).toEqual({ rows: 0, events: 0, unsound: [] });
    expect(await archivedBefore(world.store.records)).toBe(before.toISOString());
    expect(await restoreArchive({ store: world.store, disk })).toEqual({ rows: 0, events: 0, unsound: [] });
    expect(await archivedBefore(world.store.records)).toBeNull();
    await expectEverything(world, id);
  });

  it('has no row of an actor whose journal does not lead to its state', async () => {
    const { world, id, before } = await old(await open());
    await world.store.records.change('log', rowId(id, 3), {}, { set: { 'events.0.hash': 'another' } });
    const { rows, unsound } = await archived(world, before);
    expect([rows, unsound.length]).toEqual([0, 1]);
    expect(unsound[0]).toContain(`${id} rev`);
    expect(await revsOf(world, id)).toEqual([1, 2, 3, 4, 5]);
  });
});
