import type { ActorDoc } from '../../src/store/documents.ts';
import { toyContextOf } from './support/toy.ts';
import { openToy, play, quiet, World } from './support/world.ts';

const counts =
  (count: number) =>
  (doc: ActorDoc): boolean =>
    toyContextOf(doc).count >= count;

describe('waiting for an actor', () => {
  it('resolves at once if the state is reached already', async () => {
    const { world, id } = await openToy({ toy: { count: 2 } });
    const doc = await world.engine.when('subscription', id, counts(2), world.engine.elapsed());
    expect(doc).toMatchObject({ _id: id, rev: 1 });
  });

  it('sees the commits of its own process, and resolves at the expected one', async () => {
    const { world, id } = await openToy();
    const deadline = world.engine.elapsed() + 60_000;
    const waiting = world.engine.when('subscription', id, counts(3), deadline);
    for (let count = 1; count <= 3; count += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      await world.engine.dispatch(play(id, { add: 1 }));
    }
    await quiet(world);
    const before = world.store.roundTrips();
    expect(await waiting).toMatchObject({ rev: 4 });
    // No read was needed.
    expect(world.store.roundTrips()).toBe(before);
  });

  it('sees the commits of other processes within a second', async () => {
    const { world: one, id } = await openToy();
    const two = one.beside();
    const waiting = one.engine.when('subscription', id, counts(1), one.engine.elapsed() + 60_000);
    await new Promise((resolve) => setImmediate(resolve));
    await two.engine.dispatch(play(id, { add: 1 }));
    expect(await waiting).toMatchObject({ rev: 2 });
  });

  it('ends at its deadline with the current actor, though the clock is set back meanwhile', async () => {
    const { world, id } = await openToy();
    const waiting = world.engine.when('subscription', id, () => false, world.engine.elapsed() + 200);
    await new Promise((resolve) => setImmediate(resolve));
    world.clock.advance(-3 * 3_600_000);
    expect(await waiting).toMatchObject({ _id: id, rev: 1 });
  });

  it('ends for everybody when the process is about to stop, and does not start after that', async () => {
    const world = new World();
    const ids = [await world.makeToy(), await world.makeToy()];
    const deadline = world.engine.elapsed() + 60_000;
    const waiting = ids.map((id) => world.engine.when('subscription', id, () => false, deadline));
    await new Promise((resolve) => setImmediate(resolve));
    world.engine.interrupt();
    expect(await Promise.all(waiting)).toMatchObject(ids.map((_id) => ({ _id })));
    expect(await world.engine.when('subscription', ids[0] ?? '', () => false, deadline)).not.toBeNull();
  });

  it('for an unknown actor resolves with null', async () => {
    const world = new World();
    expect(await world.engine.when('subscription', 'sub_nobody', () => true, world.engine.elapsed())).toBeNull();
  });
});
