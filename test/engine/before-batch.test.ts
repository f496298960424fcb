import type { Owned } from '../../src/engine/advance.ts';
import { creation, eventFor, openToy, quiet, toyId, World } from './support/world.ts';

/** A world that records the calls of its domain before batches. */
function noting(admitted: { now: boolean }) {
  const asked: (readonly Owned[])[] = [];
  const world = new World({
    beforeBatch: async (docs) => {
      await new Promise((resolve) => setImmediate(resolve));
      admitted.now = true;
      asked.push(docs.map(({ kind, merchantId, mode }) => ({ kind, merchantId, mode })));
    },
    admits: () => admitted.now,
  });
  return { world, asked };
}

const OWNED = { kind: 'subscription', merchantId: 'mrc_1', mode: 'test' };
const BUMP = { type: 'resume.requested' } as const;

describe('the domain, before a batch', () => {
  it('is called once for all actors that are made together, before anything is decided', async () => {
    const admitted = { now: false };
    const { world, asked } = noting(admitted);
    const made = await world.engine.create('subscription', [creation(toyId()), creation(toyId())]);
    expect(made.map(({ kind }) => kind)).toEqual(['created', 'created']);
    expect(asked).toEqual([[OWNED, OWNED]]);
  });

  it('is called once for all actors that accept events together', async () => {
    const admitted = { now: false };
    const { world, asked } = noting(admitted);
    const made = await world.engine.create(
      'subscription',
      Array.from({ length: 40 }, () => creation(toyId())),
    );
    const ids = made.flatMap((each) => (each.kind === 'created' ? [each.doc._id] : []));
    await quiet(world);
    asked.length = 0;
    await world.engine.dispatchMany(ids.map((id) => eventFor(id, BUMP)));
    expect(asked.flat()).toHaveLength(40);
    // The dispatcher makes at most four batches of simultaneous events.
    expect(asked.length).toBeLessThanOrEqual(4);
  });

  it('fails the batch if it fails', async () => {
    let isDown = false;
    const { world, id } = await openToy({
      beforeBatch: async () => {
        if (isDown) throw new Error('no answer');
      },
    });
    isDown = true;
    await expect(world.engine.dispatch(eventFor(id, BUMP))).rejects.toThrow('no answer');
    await expect(world.engine.create('subscription', [creation(toyId())])).rejects.toThrow('no answer');
    isDown = false;
    expect(await world.engine.dispatch(eventFor(id, BUMP))).not.toMatchObject({ kind: 'missing' });
  });
});
