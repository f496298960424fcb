import type { Meters } from '../../src/engine/types.ts';
import { openToy, play, quiet } from './support/world.ts';

class Noted implements Meters {
  readonly seen: string[] = [];

  taken: Meters['taken'] = (doc, event) => {
    this.seen.push(`${doc.kind} ${event.type} ${doc.rev}`);
  };

  quarantined: Meters['quarantined'] = (kind) => {
    this.seen.push(`${kind} quarantined`);
  };
}

describe('the counters of events', () => {
  it('get every accepted event once, and none that was refused or changed nothing', async () => {
    const meters = new Noted();
    const { world, id } = await openToy({ meters });
    meters.seen.length = 0;
    await world.engine.dispatchMany([play(id, { add: 1 }), play(id, { add: 2 })]);
    await world.engine.dispatch(play(id, { close: true }));
    expect(await world.engine.dispatch({ ...play(id, { add: 3 }), id: 'sub_nobody' })).toEqual({ kind: 'missing' });
    const refused = await world.engine.dispatch(play(id, { add: 3 }));
    expect(refused.kind).toBe('refused');
    await quiet(world);
    expect(meters.seen).toEqual([
      'subscription variables.replaced 3',
      'subscription variables.replaced 3',
      'subscription variables.replaced 4',
    ]);
  });

  it('get every quarantined actor', async () => {
    const meters = new Noted();
    const { world, id } = await openToy({ meters });
    await world.engine.quarantine('subscription', id, 'seemed wrong');
    expect(meters.seen.at(-1)).toBe('subscription quarantined');
  });
});
