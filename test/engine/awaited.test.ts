import { openMemoryStore } from '../../src/store/memory/store.ts';
import { spied } from './support/stores.ts';
import { toyContextOf } from './support/toy.ts';
import { deferred, NEVER, play, quiet, World } from './support/world.ts';

const isAwaited = () => true;

/** A process that expects another event for every actor, and its calls. */
function awaiting(): { world: World; calls: string[] } {
  const { store, calls } = spied(openMemoryStore());
  return { world: new World({ store, isAwaited }), calls };
}

describe('an actor whose next event follows soon', () => {
  it('is not read again', async () => {
    const { world, calls } = awaiting();
    const id = await world.makeToy();
    calls.length = 0;
    await world.engine.dispatch(play(id, { add: 1, emit: 1 }));
    await world.engine.completed(id);
    await world.engine.dispatch(play(id, { add: 1 }));
    expect(calls).toEqual(['commit 1', 'commit 1']);
    await quiet(world);
    expect(await world.stored(id)).toMatchObject({ rev: 3, outbox: [] });
    expect(world.carried).toEqual([`${id}:2:0`]);
    expect((await world.replayed(id)).rev).toBe(3);
  });

  it('keeps unfinished effects in its outbox', async () => {
    const { world } = awaiting();
    const id = await world.makeToy();
    await world.engine.completed(id);
    const gate = deferred<'done'>();
    const slow = world.beside({ isAwaited, carry: () => gate.promise });
    await slow.engine.dispatch(play(id, { emit: 1 }));
    await slow.engine.dispatch(play(id, { emit: 1 }));
    const ids = (await slow.stored(id)).outbox.map((item) => item.id);
    expect(ids).toEqual(expect.arrayContaining([`${id}:2:0`, `${id}:3:0`]));
    gate.resolve('done');
    await quiet(slow);
    expect(slow.carried).toEqual([`${id}:2:0`, `${id}:3:0`]);
  });

  it('is read if another process has written since, so that no change of that is lost or cleared', async () => {
    const { world, calls } = awaiting();
    const id = await world.makeToy();
    await world.engine.completed(id);
    const other = world.beside({ carry: NEVER });
    await other.engine.dispatch(play(id, { add: 1, emit: 1 }));
    calls.length = 0;
    await world.engine.dispatch(play(id, { add: 1 }));
    expect(calls).toEqual(['commit 1', 'load 1', 'commit 1']);
    const doc = await world.stored(id);
    expect(toyContextOf(doc).count).toBe(2);
    expect(doc.outbox.map((item) => item.id)).toContain(`${id}:2:0`);
  });

  it('accepts nothing if another process has quarantined it', async () => {
    const { world } = awaiting();
    const id = await world.makeToy();
    await world.beside().engine.quarantine('subscription', id, 'by another');
    expect((await world.engine.dispatch(play(id, { add: 1 }))).kind).toBe('quarantined');
    expect((await world.stored(id)).rev).toBe(2);
  });

  it('is cached as written, and otherwise read', async () => {
    const { world, calls } = awaiting();
    const [known, unknown] = [await world.makeToy(), await new World({ store: world.store }).makeToy()];
    calls.length = 0;
    const docs = await world.engine.recall('subscription', [known, unknown, 'sub_nobody']);
    expect(docs.map(({ _id }) => _id).sort()).toEqual([known, unknown].sort());
    expect(calls).toEqual(['load 2']);
  });
});
