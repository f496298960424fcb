import { journalOf } from '../../src/engine/journal.ts';
import { replayStored } from '../../src/engine/replay.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import { TOYS } from './support/toy.ts';
import { openToy, play, quiet, TestClock, World } from './support/world.ts';

/** The number of rows with which a document turns the page at its next event. */
const ROWS = 8;

async function playTimes(world: World, id: string, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) await world.engine.dispatch(play(id, { add: 1 }));
  await quiet(world);
}

async function pagesOf({ store }: World, id: string): Promise<number[][]> {
  const pages = await store.records.find('journal', { where: { actorId: id }, sort: [['rev', 1]], limit: 100 });
  return pages.map(({ rows }) => rows.map(({ rev }) => rev));
}

async function revsOf(world: World, id: string): Promise<number[]> {
  return (await journalOf(world.store, await world.stored(id))).map(({ rev }) => rev);
}

function upTo(rev: number): number[] {
  return Array.from({ length: rev }, (_, index) => index + 1);
}

describe('the journal of an actor', () => {
  it('stays in its document while it is short', async () => {
    const { world, id } = await openToy();
    await playTimes(world, id, ROWS - 1);
    expect(await pagesOf(world, id)).toEqual([]);
    expect((await world.stored(id)).journal.map(({ rev }) => rev)).toEqual(upTo(ROWS));
    expect(await world.replayed(id)).toMatchObject({ rev: ROWS });
  });

  it('leaves it in pages, and a replay reads them all', async () => {
    const { world, id } = await openToy();
    await playTimes(world, id, 2 * ROWS + 2);
    const all = upTo(2 * ROWS + 3);
    expect(await pagesOf(world, id)).toEqual([all.slice(0, ROWS), all.slice(ROWS, 2 * ROWS)]);
    expect((await world.stored(id)).journal.map(({ rev }) => rev)).toEqual(all.slice(2 * ROWS));
    expect(await revsOf(world, id)).toEqual(all);
    expect(await world.replayed(id)).toMatchObject({ rev: all.length, state: { context: { count: all.length - 1 } } });
  });

  it('turns the page with the commit of a whole burst', async () => {
    const { world, id } = await openToy();
    await playTimes(world, id, ROWS - 1);
    await world.engine.dispatchMany(upTo(20).map(() => play(id, { add: 1 })));
    expect(await pagesOf(world, id)).toEqual([upTo(ROWS)]);
    await playTimes(world, id, 1);
    expect((await pagesOf(world, id)).map(({ length }) => length)).toEqual([ROWS, 20]);
    expect(await world.replayed(id)).toMatchObject({ rev: ROWS + 21 });
  });

  it('is complete if a process dies between the page and the commit, and has no row twice', async () => {
    const shared = { store: openMemoryStore(), clock: new TestClock() };
    const dying = new World({
      ...shared,
      fault: async (point) => {
        if (point === 'page.after') throw new Error('the process dies here');
      },
    });
    const id = await dying.makeToy();
    await playTimes(dying, id, ROWS - 1);
    await expect(dying.engine.dispatch(play(id, { add: 1 }))).rejects.toThrow('dies here');
    expect(await pagesOf(dying, id)).toEqual([upTo(ROWS)]);
    expect(await revsOf(dying, id)).toEqual(upTo(ROWS));

    const next = new World(shared);
    await playTimes(next, id, 1);
    expect(await pagesOf(next, id)).toEqual([upTo(ROWS)]);
    expect(await revsOf(next, id)).toEqual(upTo(ROWS + 1));
    expect(await next.replayed(id)).toMatchObject({ rev: ROWS + 1 });
  });

  it('is complete if two processes turn the page at once', async () => {
    const shared = { store: openMemoryStore(), clock: new TestClock() };
    const worlds = [new World(shared), new World(shared)];
    const [first = new World(shared)] = worlds;
    const id = await first.makeToy();
    await playTimes(first, id, ROWS - 1);
    await Promise.all(worlds.flatMap((world) => upTo(6).map(() => world.engine.dispatch(play(id, { add: 1 })))));
    expect(await revsOf(first, id)).toEqual(upTo(ROWS + 12));
    expect(await first.replayed(id)).toMatchObject({ rev: ROWS + 12, state: { context: { count: ROWS + 11 } } });
  });

  it('with a page that is gone does not lead to the document', async () => {
    const { world, id } = await openToy();
    await playTimes(world, id, ROWS);
    await world.store.records.remove('journal', [`${id}:${ROWS}`]);
    const { problem } = await replayStored(world.store, TOYS, await world.stored(id));
    expect(problem?.message).toBe(`${id} rev 1: the row is not in the journal`);
  });
});
