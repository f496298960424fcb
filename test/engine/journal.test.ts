import { replayStored } from '../../src/engine/replay.ts';
import { rowId } from '../../src/store/actors/heads.ts';
import { TOYS } from './support/toy.ts';
import { openToy, play, quiet, type World } from './support/world.ts';

async function revsOf(world: World, id: string): Promise<number[]> {
  return (await world.journal(id)).map(({ rev }) => rev);
}

function upTo(rev: number): number[] {
  return Array.from({ length: rev }, (_, index) => index + 1);
}

describe('the journal of an actor', () => {
  it('has each event with the state before and after it, its effects and its operation', async () => {
    const { world, id } = await openToy();
    await world.engine.dispatchMany([play(id, { emit: 1, free: 1 }), play(id, { close: true })]);
    await quiet(world);
    const rows = await world.journal(id);
    expect(rows).toMatchObject([
      { rev: 1, from: null, to: 'open', effects: [], event: { type: 'actor.created' } },
      { rev: 2, from: 'open', to: 'open', effects: ['payment.succeeded', 'unit.free'] },
      { rev: 3, from: 'open', to: 'closed', effects: [], by: 'test' },
    ]);
    expect(rows[1]?.op).toBe(rows[2]?.op);
    expect(rows[0]?.op).not.toBe(rows[1]?.op);
  });

  it('is read whole, however long it is, with a burst among its rows', async () => {
    const { world, id } = await openToy();
    for (let time = 0; time < 1_100; time += 1) await world.engine.dispatch(play(id, { add: 1 }));
    await world.engine.dispatchMany(upTo(20).map(() => play(id, { add: 1 })));
    expect(await revsOf(world, id)).toEqual(upTo(1_121));
    expect(await world.replayed(id)).toMatchObject({ rev: 1_121, state: { context: { count: 1_120 } } });
  });

  it('has a quarantine and its end, which change no state', async () => {
    const { world, id } = await openToy();
    await world.engine.quarantine('subscription', id, 'for a check');
    await world.engine.quarantine('subscription', id, 'again');
    expect((await world.stored(id)).quarantine?.reason).toBe('for a check');
    await world.release(id);
    await world.release(id);
    await world.playOut(id, { add: 1 });
    expect(await world.journal(id)).toMatchObject([
      { rev: 1 },
      { rev: 2, event: { type: 'actor.quarantined', reason: 'for a check' }, by: 'engine', from: 'open', to: 'open' },
      { rev: 3, event: { type: 'actor.released' }, by: 'staff:test', from: 'open', to: 'open' },
      { rev: 4, event: { type: 'variables.replaced' } },
    ]);
    expect(await world.replayed(id)).toMatchObject({ rev: 4 });
  });

  it('without one of its rows does not lead to the document', async () => {
    const { world, id } = await openToy();
    for (let time = 0; time < 8; time += 1) await world.playOut(id, { add: 1 });
    await world.store.records.remove('log', [rowId(id, 5)]);
    const { problem } = await replayStored(world.store, TOYS, await world.stored(id));
    expect(problem?.message).toBe(`${id} rev 5: the row is not in the journal; the next one is 6`);
  });
});
