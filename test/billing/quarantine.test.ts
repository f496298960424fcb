import { releaseActor, restoreActor } from '../../src/billing/administration/quarantine.ts';
import type { StaffOrder } from '../../src/billing/administration/staff-journal.ts';
import { headOf, rowsOf } from '../../src/store/actors/heads.ts';
import type { StoredActor } from '../../src/store/documents.ts';
import { TOYS } from '../engine/support/toy.ts';
import { play, quiet, World } from '../engine/support/world.ts';
import { event } from '../store/support/documents.ts';

const ORDER: StaffOrder = { by: 'staff:ada', reason: 'the cause has gone' };
const WHY = 'an effect has failed 20 times';

/** A quarantined toy that has accepted three events. */
async function quarantinedToy(world = new World()): Promise<{ world: World; id: string; doc: StoredActor }> {
  const id = await world.makeToy();
  await world.engine.dispatch(play(id, { add: 1 }));
  await world.engine.dispatch(play(id, { add: 1, text: 'b' }));
  await quiet(world);
  await world.engine.quarantine('subscription', id, WHY);
  return { world, id, doc: await world.stored(id) };
}

function depsOf({ store, clock }: World) {
  return { store, machines: TOYS, clock: clock.now };
}

/** A world with the same stored data except for the damage of the head, and of the rows. */
async function damaged(
  { store, clock }: World,
  id: string,
  wrong: Partial<StoredActor>,
  lost: readonly number[] = [],
): Promise<World> {
  const other = new World({ clock });
  const [doc] = await store.actors.load('subscription', [id]);
  if (!doc) throw new Error(`${id} is not stored`);
  const rows = await store.records.find('log', { where: { _id: rowsOf(id) }, limit: 100 });
  const kept = rows.filter(({ rev }) => !lost.includes(rev));
  await other.store.records.insert('log', kept);
  await other.store.records.insert('subscriptions', [headOf({ ...doc, ...wrong })]);
  return other;
}

async function entriesOf({ store }: World) {
  const entries = await store.records.find('staffJournal', { where: { merchantId: 'mrc_1' }, limit: 10 });
  return entries.map(({ by, reason, action, details }) => ({ by, reason, action, details }));
}

describe('the release of an actor', () => {
  it('lets it accept events again, and records who did it and why in the staff journal', async () => {
    const { world, id, doc } = await quarantinedToy();
    expect(await world.engine.dispatch(play(id, { add: 1 }))).toMatchObject({ kind: 'quarantined' });
    const released = await releaseActor(depsOf(world), id, ORDER);
    expect(released).toEqual({ id, kind: 'subscription', rev: doc.rev + 1, reason: WHY, since: doc.quarantine?.at });
    expect(await world.engine.dispatch(play(id, { add: 1 }))).toMatchObject({ kind: 'taken' });
    await quiet(world);
    expect(await world.replayed(id)).toMatchObject({ rev: doc.rev + 2 });
    const quarantine = { at: doc.quarantine?.at.toISOString(), reason: WHY };
    const details = { id, kind: 'subscription', rev: doc.rev, quarantine };
    expect(await entriesOf(world)).toEqual([{ ...ORDER, action: 'actor.released', details }]);
  });

  it('tries its outbox at once, and quarantines it again if an effect still fails', async () => {
    let isBroken = true;
    const carry = () => (isBroken ? { failed: new Error('no') } : ('done' as const));
    const world = new World({ carry });
    const id = await world.makeToy();
    await world.engine.dispatch(play(id, { emit: 1 }));
    await quiet(world);
    while ((await world.stored(id)).quarantine === null) {
      world.clock.advance(120_000);
      await world.relayAll();
    }
    const deps = depsOf(world);
    await releaseActor(deps, id, ORDER);
    await world.relayAll();
    expect((await world.stored(id)).quarantine).toMatchObject({ reason: expect.stringContaining('no') });
    isBroken = false;
    await releaseActor(deps, id, ORDER);
    await world.relayAll();
    expect(await world.stored(id)).toMatchObject({ quarantine: null, outbox: [], failures: 0 });
  });

  it('works for a delivery too, which has no journal', async () => {
    const world = new World();
    const { records } = world.store;
    const quarantine = { at: new Date(0), reason: WHY };
    await records.insert('events', [
      event({ _id: 'evt_sound', quarantine }),
      event({ _id: 'evt_broken', quarantine, looks: -1 }),
    ]);
    expect(await releaseActor(depsOf(world), 'dlv_sound', ORDER)).toMatchObject({ kind: 'delivery', reason: WHY });
    await expect(releaseActor(depsOf(world), 'dlv_sound', ORDER)).rejects.toThrow('is not quarantined');
    await expect(releaseActor(depsOf(world), 'dlv_broken', ORDER)).rejects.toThrow('is still broken');
    const held = await records.find('events', { where: {}, sort: [['_id', 1]], limit: 2 });
    expect(held).toMatchObject([{ quarantine }, { quarantine: null }]);
  });
});

describe('a release is refused', () => {
  it.each<[string, Partial<StoredActor>, string]>([
    [
      'differs from its journal',
      { context: { count: 7 } },
      'differs from its journal in context.count (7, replayed 2)',
    ],
    ['is in no state of its machine', { value: 'melted' }, 'differs from its journal in value'],
    [
      'is of a version that nobody knows',
      { machineVersion: 9 },
      'it is of version 9 of subscription; this code knows 1',
    ],
    ['shows another status than it has', { status: 'closed' }, 'its status is closed; its state is open'],
    ['would be woken at another time', { wakeAt: new Date(0) }, 'its wakeAt is not that of its context'],
  ])('of a document that %s', async (_, change, said) => {
    const { world: sound, id, doc } = await quarantinedToy();
    const changed = change.context ? { ...change, context: { ...doc.context, ...change.context } } : change;
    const world = await damaged(sound, id, changed);
    const release = releaseActor(depsOf(world), id, ORDER);
    await expect(release).rejects.toMatchObject({ code: 'conflict' });
    await expect(release).rejects.toThrow(`${id} is still broken: `);
    await expect(release).rejects.toThrow(said);
    expect((await world.stored(id)).quarantine).toMatchObject({ reason: WHY });
    expect(await entriesOf(world)).toEqual([]);
  });

  it('of an id that is not quarantined, not stored, or not an actor', async () => {
    const world = new World();
    const id = await world.makeToy();
    const deps = depsOf(world);
    await expect(releaseActor(deps, id, ORDER)).rejects.toThrow('is not quarantined');
    await expect(releaseActor(deps, 'sub_no', ORDER)).rejects.toMatchObject({ code: 'not_found' });
    await expect(releaseActor(deps, 'offer_1', ORDER)).rejects.toMatchObject({ code: 'invalid' });
  });
});

describe('the restore of an actor', () => {
  it.each<[string, Partial<StoredActor>]>([
    ['context', { context: { broken: true } }],
    ['value', { value: 'melted' }],
    ['status', { status: 'closed' }],
  ])('brings back the state of its journal after damage of its %s', async (_, wrong) => {
    const { world: sound, id, doc } = await quarantinedToy();
    const world = await damaged(sound, id, wrong);
    const restored = await restoreActor(depsOf(world), id, ORDER);
    expect(restored).toMatchObject({ rev: doc.rev + 1, reason: WHY });
    await world.relayAll();
    const { value, context, status, wakeAt } = doc;
    expect(await world.stored(id)).toMatchObject({ value, context, status, wakeAt, quarantine: null, outbox: [] });
    expect(await world.replayed(id)).toMatchObject({ rev: doc.rev + 2 });
    const byStaff = { by: 'staff:ada', reason: ORDER.reason };
    expect((await world.journal(id)).slice(-2)).toMatchObject([
      { ...byStaff, event: { type: 'snapshot.upcast' } },
      { ...byStaff, event: { type: 'actor.released' } },
    ]);
    expect(await entriesOf(world)).toMatchObject([{ ...ORDER, action: 'actor.restored' }]);
    expect(await world.engine.dispatch(play(id, { add: 1 }))).toMatchObject({ kind: 'taken' });
    await quiet(world);
    expect(await world.replayed(id)).toMatchObject({ rev: doc.rev + 3, state: { context: { count: 3 } } });
  });

  it('needs no quarantine: nobody who read the damage can write it again', async () => {
    const sound = new World();
    const id = await sound.makeToy();
    const before = await sound.stored(id);
    const world = await damaged(sound, id, { context: { ...before.context, count: 40 } });
    expect(await restoreActor(depsOf(world), id, ORDER)).toMatchObject({ rev: 2, reason: null });
    expect(await world.stored(id)).toMatchObject({ rev: 2, context: before.context });
  });
});

describe('a restore is refused', () => {
  it('if journal and document agree, and says what to do', async () => {
    const { world, id } = await quarantinedToy();
    const deps = depsOf(world);
    await expect(restoreActor(deps, id, ORDER)).rejects.toThrow('release it instead');
    await releaseActor(deps, id, ORDER);
    await expect(restoreActor(deps, id, ORDER)).rejects.toThrow('there is nothing to restore');
  });

  it('if the journal has a gap, or ends before the document', async () => {
    const { world: sound, id, doc } = await quarantinedToy();
    const ending = await damaged(sound, id, { value: 'melted' }, [doc.rev]);
    const leads = `is at rev ${doc.rev}, its journal leads to rev ${doc.rev - 1}`;
    await expect(restoreActor(depsOf(ending), id, ORDER)).rejects.toThrow(leads);
    const gaping = await damaged(sound, id, { value: 'melted' }, [1]);
    await expect(restoreActor(depsOf(gaping), id, ORDER)).rejects.toThrow('its journal leads nowhere');
    expect(await entriesOf(ending)).toEqual([]);
    expect(await entriesOf(gaping)).toEqual([]);
  });

  it('of a delivery, or of an unknown version', async () => {
    const world = new World();
    await expect(restoreActor(depsOf(world), 'dlv_1', ORDER)).rejects.toThrow('has no journal to restore it from');
    const other = await quarantinedToy();
    const later = await damaged(other.world, other.id, { machineVersion: 9 });
    await expect(restoreActor(depsOf(later), other.id, ORDER)).rejects.toThrow('it is of version 9');
  });
});
