import { spyOn } from 'jest-mock';
import type { EffectResult } from '../../src/engine/types.ts';
import { pendingOf } from '../../src/store/actors/log-actors.ts';
import { StoreUnavailable } from '../../src/store/errors.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import { customer, effects, outbox } from '../store/support/documents.ts';
import { withActors, withRecords } from './support/stores.ts';
import { toyContextOf } from './support/toy.ts';
import {
  type Carry,
  creation,
  deferred,
  NEVER,
  openToy,
  play,
  quiet,
  TestClock,
  toyId,
  World,
  type WorldOptions,
  withdrawal,
} from './support/world.ts';

const FAILS = { failed: new Error('not today') };

/** Lets an effect pass only while `isOpen`, or if it is not one that it keeps. */
function gate(keeps: (id: string) => boolean, result: ReturnType<Carry> = FAILS) {
  const state = { isOpen: false, tries: [] as string[] };
  const carry: Carry = (item) => {
    state.tries.push(item.id);
    return state.isOpen || !keeps(item.id) ? 'done' : result;
  };
  return { state, carry };
}

describe('the effects of a commit', () => {
  it('are left to its process for twice the time that they take lately, between two seconds and ten', async () => {
    let [now, takes] = [0, 0];
    const clock = spyOn(performance, 'now').mockImplementation(() => now);
    const graces: number[] = [];
    const store = withActors(openMemoryStore(), (actors) => ({
      commit: (kind, batch) => {
        graces.push(batch.relayAt.getTime() - batch.at.getTime());
        return actors.commit(kind, batch);
      },
    }));
    const carry: Carry = () => {
      now += takes;
      return 'done';
    };
    const { world, id } = await openToy({ store, carry });
    graces.length = 0;
    for (const ms of [100, 3_000, 40_000, 0]) {
      takes = ms;
      await world.playOut(id, { free: 1 });
    }
    now += 30_000;
    await world.playOut(id, { free: 1 });
    clock.mockRestore();
    expect(graces).toEqual([2_000, 2_000, 6_000, 10_000, 2_000]);
  });
});

describe('effects of one actor', () => {
  it('run in the order of its outbox, over types and commits', async () => {
    const { world, id } = await openToy();
    await world.engine.dispatchMany([
      play(id, { emit: 2, free: 1 }),
      play(id, { free: 2, emit: 1 }),
      play(id, { emit: 1 }),
    ]);
    await quiet(world);
    expect(world.carried).toEqual([
      `${id}:2:0`,
      `${id}:2:1`,
      `${id}:2:2`,
      `${id}:3:0`,
      `${id}:3:1`,
      `${id}:3:2`,
      `${id}:4:0`,
    ]);
    expect(await world.outboxes(id)).toEqual([]);
  });

  it('have run when `settled` resolves, but those of others may not have', async () => {
    const slow = deferred<'done'>();
    const id = toyId();
    const world = new World({ carry: (item) => (item.source.id === id ? 'done' : slow.promise) });
    const other = await world.makeToy();
    await world.engine.create('subscription', [creation(id)]);
    await world.engine.dispatchMany([play(other, { emit: 1 }), play(id, { free: 3 })]);
    await world.engine.completed(id);
    expect(world.carried).toEqual([`${id}:2:0`, `${id}:2:1`, `${id}:2:2`]);
    slow.resolve('done');
    await quiet(world);
  });

  it('stop at the first failure, even within one batch, and continue from there in order', async () => {
    const { state, carry } = gate((id) => id.endsWith(':2:1'));
    const { world, id } = await openToy({ carry });
    await world.playOut(id, { emit: 3 });
    expect(world.carried).toEqual([`${id}:2:0`]);
    expect(state.tries).toEqual([`${id}:2:0`, `${id}:2:1`]);
    expect(await world.outboxes(id)).toMatchObject([{ failures: { [id]: 1 }, at: new Date(world.clock.in(500)) }]);
    state.isOpen = true;
    await world.relayAll();
    expect(world.carried).toEqual([`${id}:2:0`, `${id}:2:1`, `${id}:2:2`]);
    expect(await world.outboxes(id)).toEqual([]);
  });

  it('of later commits never overtake those behind a failed one', async () => {
    const { state, carry } = gate((id) => id.endsWith(':3:0'));
    const removing = deferred<void>();
    const store = withRecords(openMemoryStore(), (records) => ({
      remove: async (from, ids) => {
        if (from === 'outbox' && isSlow) await removing.promise;
        return records.remove(from, ids);
      },
    }));
    let isSlow = false;
    const { world, id } = await openToy({ store, carry });
    isSlow = true;
    await world.engine.dispatchMany([play(id, { emit: 1 }), play(id, { emit: 2 })]);
    await world.engine.dispatch(play(id, { emit: 1 }));
    await world.engine.completed(id);
    // The next commit brings the rest along with its own effect.
    state.isOpen = true;
    await world.engine.dispatch(play(id, { free: 1 }));
    await world.engine.completed(id);
    removing.resolve();
    await quiet(world);
    expect(world.carried).toEqual([`${id}:2:0`, `${id}:3:0`, `${id}:3:1`, `${id}:4:0`, `${id}:5:0`]);
    expect((await world.stored(id)).outbox).toEqual([]);
    await world.relayAll();
    expect(await world.outboxes(id)).toEqual([]);
    expect(world.carried).toHaveLength(5);
    expect(await world.replayed(id)).toMatchObject({ rev: 5 });
  });

  it('of a dead process have left their outbox when a pass has ended: the next one runs none again', async () => {
    const store = withRecords(openMemoryStore(), (records) => ({
      remove: async (from, ids) => {
        await new Promise((resolve) => setImmediate(resolve));
        return records.remove(from, ids);
      },
    }));
    const { world, id } = await openToy({ store });
    const dead = world.beside({ carry: NEVER });
    await dead.engine.dispatch(play(id, { emit: 2 }));
    world.clock.advance(3_000);
    expect(await world.relay()).toBe(1);
    expect(await world.outboxes(id)).toEqual([]);
    expect(world.carried).toEqual([`${id}:2:0`, `${id}:2:1`]);
  });

  it('do not run while an earlier one is under way, whatever commits follow', async () => {
    const first = deferred<'done'>();
    const { world, id } = await openToy({ carry: (item) => (item.id.endsWith(':2:0') ? first.promise : 'done') });
    await world.engine.dispatch(play(id, { emit: 1 }));
    await world.engine.dispatch(play(id, { emit: 1 }));
    await new Promise((resolve) => setImmediate(resolve));
    expect(world.carried).toEqual([]);
    first.resolve('done');
    await quiet(world);
    expect(world.carried).toEqual([`${id}:2:0`, `${id}:3:0`]);
  });
});

describe('an effect that fails', () => {
  it('is tried again after pauses that double up to a minute, and after 20 failures its actor is quarantined', async () => {
    const { state, carry } = gate(() => true);
    const { world, id } = await openToy({ carry });
    await world.playOut(id, { emit: 1 });
    const pauses: number[] = [];
    for (let failures = 1; failures < 20; failures += 1) {
      const [outbox] = await world.outboxes(id);
      expect(outbox?.failures).toEqual({ [id]: failures });
      pauses.push((outbox?.at.getTime() ?? 0) - world.clock.now().getTime());
      world.clock.advance(pauses.at(-1) ?? 0);
      await world.relay();
      await quiet(world);
    }
    expect(pauses.slice(0, 9)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    expect(state.tries).toHaveLength(20);
    expect((await world.stored(id)).quarantine?.reason).toBe(`effect ${id}:2:0 failed 20 times: not today`);
    await world.relayAll();
    expect(state.tries).toHaveLength(20);
  });

  it('delays the effects of later commits, and its failures count on', async () => {
    const { state, carry } = gate(() => true);
    const { world, id } = await openToy({ carry });
    for (let times = 0; times < 8; times += 1) await world.playOut(id, { emit: 1 });
    const newest = (await world.outboxes(id)).find(({ entries: [entry] }) => entry?.effects.length === 8);
    expect(newest).toMatchObject({ at: new Date(world.clock.in(60_000)), failures: { [id]: 8 } });
    state.tries.length = 0;
    world.clock.advance(59_999);
    expect(await world.relay()).toBe(0);
    expect(state.tries).toEqual([]);
  });

  it('is stored as failed with the others of its outbox, by one write', async () => {
    let writes = 0;
    const store = withRecords(openMemoryStore(), (records) => ({
      change: (...args) => {
        writes += 1;
        return records.change(...args);
      },
    }));
    const world = new World({ store, carry: () => FAILS });
    const ids = await Promise.all(Array.from({ length: 30 }, () => world.makeToy()));
    await world.engine.dispatchMany(ids.map((id) => play(id, { emit: 1 })));
    await quiet(world);
    expect((await store.actors.load('subscription', ids)).map(({ failures }) => failures)).toEqual(ids.map(() => 1));
    expect(writes).toBe(1);
  });

  it('fails alone: the rest of its batch runs', async () => {
    const thrown: string[] = [];
    const world = new World({
      carry: (item) => {
        if (item.source.id !== bad) return 'done';
        thrown.push(item.id);
        throw new Error('a handler that throws');
      },
    });
    let bad = '';
    const ids = [await world.makeToy(), await world.makeToy(), await world.makeToy()];
    bad = ids[1] ?? '';
    await world.engine.dispatchMany(ids.map((id) => play(id, { emit: 1 })));
    await quiet(world);
    expect(new Set(world.carried)).toEqual(new Set([`${ids[0]}:2:0`, `${ids[2]}:2:0`]));
    for (const id of ids) expect((await world.stored(id)).failures).toBe(id === bad ? 1 : 0);
    world.clock.advance(3_000);
    [bad, world.carried.length] = ['', 0];
    await world.relay();
    expect(world.carried).toEqual([`${ids[1]}:2:0`]);
  });

  it('of an unknown type fails its document alone', async () => {
    const world = new World();
    const [good, bad] = [await world.makeToy(), await world.makeToy()];
    await world.leave(bad, [{ type: 'unit.free', offerId: 7 }]);
    await world.leave(good, [{ type: 'unit.free', offerId: 'offer_1', holder: 'x' }]);
    world.clock.advance(3_000);
    await world.relay();
    await quiet(world);
    expect(world.carried).toEqual([`${good}:2:0`]);
    expect((await world.stored(bad)).failures).toBe(1);
  });

  it('does not count as failed while the database does not answer', async () => {
    const carry: Carry = () => Promise.reject(new StoreUnavailable('no answer'));
    const { world, id } = await openToy({ carry });
    await world.playOut(id, { emit: 1 });
    expect(await world.outboxes(id)).toMatchObject([{ failures: { [id]: 0 }, at: new Date(world.clock.in(500)) }]);
  });

  it('is tried again after its grace if its failure could not be stored', async () => {
    const { state, carry } = gate(() => true);
    const store = withRecords(openMemoryStore(), () => ({
      change: () => Promise.reject(new StoreUnavailable('no answer')),
    }));
    const { world, id } = await openToy({ store, carry });
    await world.playOut(id, { emit: 1 });
    expect(world.engine.isBusy()).toBe(false);
    state.isOpen = true;
    await world.relayAll();
    expect(world.carried).toEqual([`${id}:2:0`]);
  });
});

describe('a delayed effect', () => {
  it('is not a failure, however long it waits; each wait doubles the total, up to a minute', async () => {
    const { state, carry } = gate(() => true, { held: 'no payout wallet' });
    const { world, id } = await openToy({ carry });
    await world.playOut(id, { emit: 2 });
    const pauses: number[] = [];
    for (let times = 0; times < 30; times += 1) {
      const [outbox] = await world.outboxes(id);
      expect(await world.stored(id)).toMatchObject({ failures: 0, quarantine: null });
      pauses.push((outbox?.at.getTime() ?? 0) - world.clock.now().getTime());
      world.clock.advance(pauses.at(-1) ?? 0);
      await world.relay();
      await quiet(world);
    }
    expect(pauses.slice(0, 9)).toEqual([500, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000]);
    expect(world.carried).toEqual([]);
    state.isOpen = true;
    world.clock.advance(60_000);
    await world.relayAll();
    expect(world.carried).toEqual([`${id}:2:0`, `${id}:2:1`]);
  });
});

describe('the effect of a dead process', () => {
  it('is not searched for in a quarantined document', async () => {
    const { world, id } = await openToy({ carry: () => FAILS });
    await world.playOut(id, { emit: 1 });
    await world.engine.quarantine('subscription', id, 'for a check');
    world.clock.advance(10_000);
    expect(await world.relay()).toBe(0);
  });

  it('runs if its commit was made; the outbox of another is removed, at the latest an hour after its write', async () => {
    const { world, id } = await openToy({ carry: () => FAILS });
    await world.playOut(id, { emit: 1 });
    const [made] = await world.outboxes(id);
    if (made === undefined) throw new Error('no outbox');
    const ahead = made.entries.map((entry) => ({ ...entry, rev: 3 }));
    await world.store.records.insert('outbox', [
      { ...made, _id: 'op_lost' },
      { ...made, _id: 'op_unseen', entries: ahead },
    ]);
    world.clock.advance(3_000);
    const next = world.beside();
    expect(await next.relay()).toBe(1);
    expect(next.carried).toEqual([`${id}:2:0`]);
    // The write of its row may be under way.
    expect(await next.outboxes(id)).toMatchObject([{ _id: 'op_unseen', at: new Date(next.clock.in(50_000)) }]);
    next.clock.advance(3_600_000);
    await next.relay();
    expect(await next.outboxes(id)).toHaveLength(1);
    next.clock.advance(50_000);
    await next.relay();
    expect(await next.outboxes(id)).toEqual([]);
    expect(next.carried).toEqual([`${id}:2:0`]);
  });

  it('runs although another process runs those of another document of the same write', async () => {
    const world = new World();
    const [one, other] = [await world.makeToy(), await world.makeToy()];
    const dead = world.beside({ carry: NEVER });
    await dead.engine.dispatchMany([play(one, { emit: 1 }), play(other, { emit: 1 })]);
    await world.playOut(one, { add: 1 });
    expect(world.carried).toEqual([`${one}:2:0`]);
    await world.relayAll();
    expect(world.carried).toEqual([`${one}:2:0`, `${other}:2:0`]);
    expect(await world.outboxes(other)).toEqual([]);
  });

  it.each([{ effects: null }, { effects: [null] }])(
    'keeps no other effect from running if it is unreadable: %j',
    async (wrong) => {
      const { state, carry } = gate(() => true);
      const { world, id } = await openToy({ carry });
      await world.playOut(id, { emit: 1 });
      state.isOpen = true;
      world.clock.advance(10_000);
      const [sound] = await world.outboxes(id);
      const documentId = await world.makeToy();
      const bad = { merchantId: 'mrc_1', mode: 'test', documentId, rev: 1, ...wrong };
      const entries = [bad, ...(sound?.entries ?? [])];
      await world.store.records.change('outbox', sound?._id ?? '', {}, { set: { entries } });
      expect(await world.relay()).toBe(1);
      expect((await world.stored(id)).outbox).toEqual([]);
      expect((await world.stored(documentId)).quarantine?.reason).toContain('outbox');
    },
  );
});

describe('messages to the subscription', () => {
  /** A toy that sends two messages with each of two events, and what its handler was given. */
  async function sent(tell: (attempts: readonly number[]) => readonly EffectResult[]) {
    const batches: number[][] = [];
    const handlersOf: WorldOptions['handlersOf'] = () => ({
      'subscription.tell': async (items) => {
        const attempts = items.map(({ effect }) => effect.message.attempt);
        batches.push(attempts);
        return tell(attempts);
      },
    });
    const { world, id } = await openToy({ handlersOf });
    await world.engine.dispatchMany([play(id, { tell: 2 }), play(id, { emit: 1, tell: 1 })]);
    await quiet(world);
    return { world, id, batches };
  }

  it('run together where they follow one another, even with journal rows between', async () => {
    const { world, id, batches } = await sent((attempts) => attempts.map(() => 'done'));
    expect(batches).toEqual([[0, 1], [0]]);
    expect(world.carried).toEqual([`${id}:3:0`]);
    expect(await world.outboxes(id)).toEqual([]);
  });

  it('wait behind a failed one, also when they run alone because their batch threw', async () => {
    const { world, id, batches } = await sent(() => {
      throw new Error('the database has gone');
    });
    expect(batches).toEqual([[0, 1], [0]]);
    expect((await world.stored(id)).outbox.map((item) => item.id)).toEqual([
      `${id}:2:0`,
      `${id}:2:1`,
      `${id}:3:0`,
      `${id}:3:1`,
    ]);
  });
});

describe('effects that run twice', () => {
  /** Two processes that drain the same outboxes. One of them sees nothing of the other's work. */
  async function twice(): Promise<{ world: World; from: string; to: string }> {
    const store = openMemoryStore();
    const clock = new TestClock();
    const reported: { from: string; to: string } = { from: '', to: '' };
    const handlersOf: WorldOptions['handlersOf'] = (engine) => ({
      'charge.withdraw': async (items) => {
        const requests = items.map(({ mark, source }) => withdrawal(reported.to, source.id, mark));
        return (await engine.dispatchMany(requests)).map(() => 'done');
      },
    });
    const deaf = withRecords(store, () => ({ remove: async () => 0 }));
    const [first, second] = [new World({ store: deaf, clock, handlersOf }), new World({ store, clock, handlersOf })];
    reported.from = await second.makeToy({}, 'payment');
    reported.to = await second.makeToy({}, 'payment');
    const request = { kind: 'payment', id: reported.from, by: 'test' } as const;
    for (let times = 0; times < 5; times += 1) {
      await first.engine.dispatch({ ...request, event: { type: 'charge.scheduled', nextAttemptAt: null } });
      await quiet(first);
    }
    await second.relayAll(['payment']);
    return { world: second, ...reported };
  }

  it('notify another actor once', async () => {
    const { world, from, to } = await twice();
    for (const id of [from, to]) {
      expect(toyContextOf(await world.stored(id, 'payment')).count).toBe(5);
      expect(await world.journal(id, 'payment')).toHaveLength(6);
      expect(await world.replayed(id, 'payment')).toMatchObject({ rev: 6 });
    }
  });
});

describe('the outbox of a plain resource', () => {
  /** A customer whose last change has two effects. */
  async function leave(world: World, id: string, outboxId = `op_${id}`) {
    const rev = 3;
    const doc = customer({ _id: id, rev, outboxId });
    const { merchantId, mode } = doc;
    const effect = { type: 'webhook.emit', event: 'customer.updated', data: { customerId: id } };
    const items = effects(id, rev, 2).map((item) => ({ ...item, effect }));
    const entries = [{ documentId: id, merchantId, mode, rev, effects: items }];
    const now = world.clock.now();
    const left = outbox({ _id: `op_${id}`, entries, createdAt: now, oldestAt: now, at: now });
    await world.store.records.insert('outbox', [left]);
    await world.store.records.insert('customers', [doc]);
    return { ...doc, ...pendingOf(id, left) };
  }

  it('runs right after its write', async () => {
    const world = new World();
    const doc = await leave(world, 'cust_1');
    world.engine.resourceCommitted('customers', doc, world.clock.now());
    await world.engine.completed(doc._id);
    expect(world.carried).toEqual(['cust_1:3:0', 'cust_1:3:1']);
    await quiet(world);
    expect(await world.outboxes('cust_1')).toEqual([]);
  });

  it('is found by the relay if its writer has died', async () => {
    const world = new World();
    await leave(world, 'cust_2');
    expect(await world.relay('customers')).toBe(1);
    expect(world.carried).toEqual(['cust_2:3:0', 'cust_2:3:1']);
  });

  it('does not run if the change was not made', async () => {
    const world = new World();
    await leave(world, 'cust_6', 'op_other');
    expect(await world.relay('customers')).toBe(0);
    expect(await world.outboxes('cust_6')).toEqual([]);
  });

  it('is never quarantined: failed effects are tried for ever', async () => {
    const world = new World({ carry: () => FAILS });
    await leave(world, 'cust_3');
    for (let times = 0; times < 25; times += 1) {
      world.clock.advance(60_000);
      expect(await world.relay('customers')).toBe(1);
      await quiet(world);
    }
    expect(await world.outboxes('cust_3')).toMatchObject([{ failures: { cust_3: 25 } }]);
  });
});

describe('an effect that ends later', () => {
  const isFirst = (id: string) => id.endsWith(':2:0');

  it('does not delay later effects, and leaves the outbox when it has ended', async () => {
    const end = deferred<'done'>();
    const { world, id } = await openToy({ carry: ({ id }) => (isFirst(id) ? { later: end.promise } : 'done') });
    await world.engine.dispatch(play(id, { emit: 1, free: 1 }));
    await world.engine.completed(id);
    expect(world.carried).toEqual([`${id}:2:1`]);
    expect(world.engine.isBusy()).toBe(true);
    const doc = await world.stored(id);
    expect(doc.outbox.map((item) => item.id)).toContain(`${id}:2:0`);
    end.resolve('done');
    await quiet(world);
    expect(await world.outboxes(id)).toEqual([]);
  });

  it('is not started again by a process that finds it meanwhile, and is waited for', async () => {
    const end = deferred<'done'>();
    let begun = 0;
    const { world, id } = await openToy({
      carry: ({ id }) => {
        if (!isFirst(id)) return 'done';
        begun += 1;
        return { later: end.promise };
      },
    });
    await world.engine.dispatch(play(id, { emit: 1 }));
    await world.engine.completed(id);
    world.clock.advance(3_000);
    const left = world.relay();
    end.resolve('done');
    expect(await left).toBe(1);
    expect(begun).toBe(1);
    expect(await world.outboxes(id)).toEqual([]);
  });

  it('is tried again if it failed', async () => {
    let tries = 0;
    const { world, id } = await openToy({
      carry: ({ id }) => {
        if (!isFirst(id)) return 'done';
        tries += 1;
        return tries === 1 ? { later: Promise.reject(new Error('not today')) } : 'done';
      },
    });
    await world.playOut(id, { emit: 1, free: 1 });
    expect((await world.stored(id)).failures).toBe(1);
    await world.relayAll();
    expect(await world.outboxes(id)).toEqual([]);
    expect([...new Set(world.carried)]).toEqual([`${id}:2:1`, `${id}:2:0`]);
  });

  it('does not count as failed if the database did not answer meanwhile, however often', async () => {
    const away = new StoreUnavailable('no answer');
    const { world, id } = await openToy({
      carry: ({ id }) => (isFirst(id) ? { later: Promise.reject(away) } : 'done'),
    });
    await world.playOut(id, { emit: 1 });
    for (let times = 0; times < 25; times += 1) {
      world.clock.advance(60_000);
      await world.relayAll(['subscription']);
    }
    expect(await world.stored(id)).toMatchObject({ outbox: [{ id: `${id}:2:0` }], failures: 0, quarantine: null });
  });
});
