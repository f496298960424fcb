import { oneIn } from '../../src/engine/step.ts';
import type { Dispatched } from '../../src/engine/types.ts';
import { UnknownOutcome } from '../../src/store/errors.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import { spied, withActors } from './support/stores.ts';
import { newToy, toyContextOf } from './support/toy.ts';
import { CYCLE_DUE, creation, eventFor, openToy, play, quiet, toyId, World, withdrawal } from './support/world.ts';

const RESUME = { type: 'resume.requested' } as const;

describe('an event', () => {
  it('is stored with its effects and its journal row before it is answered', async () => {
    const { world, id } = await openToy();
    world.clock.advance(5_000);
    const result = await world.engine.dispatch(play(id, { add: 2, emit: 1, wakeAt: world.clock.in(60_000) }));
    expect(result).toMatchObject({ kind: 'taken', changed: true, effects: [{ type: 'webhook.emit' }] });
    await quiet(world);
    const doc = await world.stored(id);
    expect(doc).toMatchObject({
      rev: 2,
      status: 'open',
      context: { count: 2 },
      eventSeq: 1,
      wakeAt: new Date(world.clock.in(60_000)),
      updatedAt: world.clock.now(),
      outbox: [],
    });
    expect((await world.journal(id)).at(-1)).toMatchObject({
      rev: 2,
      by: 'test',
      event: { type: 'variables.replaced', now: world.clock.in(0) },
      from: 'open',
      to: 'open',
    });
    expect(world.carried).toEqual([`${id}:2:0`]);
  });

  it('is refused with the current document if the machine does not accept it, and nothing is written', async () => {
    const { world, id, calls } = await openToy();
    await world.engine.dispatch(play(id, { close: true }));
    calls.length = 0;
    expect(await world.engine.dispatch(eventFor(id, RESUME))).toMatchObject({
      kind: 'refused',
      doc: { _id: id, value: 'closed', rev: 2 },
    });
    expect(calls).toEqual(['load 1']);
  });

  it('is acknowledged without a write if it changes nothing', async () => {
    const { world, id, calls } = await openToy();
    const result = await world.engine.dispatch(eventFor(id, RESUME));
    expect(result).toMatchObject({ kind: 'taken', changed: false, doc: { rev: 1 }, effects: [] });
    expect(calls).toEqual(['load 1']);
  });

  it('for an unknown actor is answered as missing', async () => {
    expect(await new World().engine.dispatch(play('sub_nobody', {}))).toEqual({ kind: 'missing' });
  });

  it('for a quarantined actor is refused, and accepted after its release', async () => {
    const { world, id } = await openToy();
    await world.engine.quarantine('subscription', id, 'for a check');
    expect(await world.engine.dispatch(play(id, { add: 1 }))).toMatchObject({
      kind: 'quarantined',
      doc: { quarantine: { reason: 'for a check' } },
    });
    await world.release(id);
    expect(await world.engine.dispatch(play(id, { add: 1 }))).toMatchObject({ kind: 'taken' });
  });

  it('of another shape is the sender’s fault: no document is quarantined for it', async () => {
    const { world, id } = await openToy();
    const malformed = {
      ...play(id, {}),
      event: { type: 'variables.replaced', customVariables: { unreachable: 'of' } },
    } as const;
    const [bad, good] = await Promise.allSettled([
      world.engine.dispatch(malformed),
      world.engine.dispatch(play(id, { add: 1 })),
    ]);
    expect(bad).toMatchObject({ status: 'rejected', reason: { code: 'internal' } });
    expect(good).toMatchObject({ status: 'fulfilled', value: { kind: 'taken' } });
    expect((await world.stored(id)).quarantine).toBeNull();
  });

  it('is accepted at the actor’s own time, and its wake is stored in real time', async () => {
    const { world, id } = await openToy();
    await world.engine.dispatch(play(id, { wakeAt: world.clock.in(90_000) }));
    await world.engine.dispatch(eventFor(id, { type: 'clock.moved', clockOffsetMs: 60_000 }));
    expect(await world.stored(id)).toMatchObject({ clockOffsetMs: 60_000, wakeAt: new Date(world.clock.in(30_000)) });
    await world.playOut(id, { add: 1 });
    expect((await world.journal(id)).at(-1)).toMatchObject({ rev: 4, event: { now: world.clock.in(60_000) } });
  });

  it('numbers webhook events in order, and only those that somebody opted in to', async () => {
    const { world, id } = await openToy({
      admits: (effect) => effect.type !== 'webhook.emit' || effect.data['n'] !== 1,
    });
    const result = await world.engine.dispatch(play(id, { emit: 3 }));
    expect(result).toMatchObject({ kind: 'taken', doc: { eventSeq: 2 } });
    if (result.kind !== 'taken') throw new Error('not taken');
    const numbers = result.doc.outbox.map(({ effect, sequence }) => [effect.type, sequence]);
    expect(numbers).toEqual([
      ['webhook.emit', 1],
      ['webhook.emit', 2],
    ]);
    await quiet(world);
    expect(await world.replayed(id)).toMatchObject({ rev: 2 });
  });
});

describe('simultaneous events', () => {
  it('of many actors are one read and one write for as many as fit', async () => {
    const { store, calls } = spied(openMemoryStore());
    const world = new World({ store });
    const ids = await Promise.all(Array.from({ length: 500 }, () => world.makeToy()));
    calls.length = 0;
    const results = await world.engine.dispatchMany(ids.map((id) => play(id, { add: 1 })));
    expect(results.every(({ kind }) => kind === 'taken')).toBe(true);
    const [loads, commits] = ['load 125', 'commit 125'].map((call) => Array.from({ length: 4 }, () => call));
    expect(calls).toEqual([...(loads ?? []), ...(commits ?? [])]);
  });

  it('are answered in the order of their calls', async () => {
    const world = new World();
    const [one, two] = [await world.makeToy(), await world.makeToy()];
    const results = await world.engine.dispatchMany([
      play(two, { add: 1 }),
      play('sub_nobody', {}),
      play(one, { add: 1 }),
    ]);
    expect(results).toMatchObject([{ doc: { _id: two } }, { kind: 'missing' }, { doc: { _id: one } }]);
  });

  it('show a refusal in the middle with the document at that moment, and continue', async () => {
    const { world, id } = await openToy();
    const [first, refused, last] = await world.engine.dispatchMany([
      play(id, { add: 1 }),
      eventFor(id, CYCLE_DUE.event),
      play(id, { add: 1, wakeAt: world.clock.in(60_000) }),
    ]);
    expect([first?.kind, refused?.kind, last?.kind]).toEqual(['taken', 'refused', 'taken']);
    expect(refused).toMatchObject({ doc: { rev: 2, wakeAt: null, context: { count: 1 } } });
    expect(toyContextOf(await world.stored(id)).count).toBe(2);
  });

  it('of a sender are refused behind its refused one, and those of others are not', async () => {
    const { world, id } = await openToy();
    const from = (sender: string, mark: number) => ({ sender: { id: sender, mark: [mark, 0] as [number, number] } });
    const results = await world.engine.dispatchMany([
      { kind: 'subscription', id, event: CYCLE_DUE.event, by: 'pay_1', ...from('pay_1', 1) },
      { ...play(id, { add: 1 }), ...from('pay_1', 2) },
      { ...play(id, { add: 10 }), ...from('pay_2', 1) },
    ]);
    expect(results.map(({ kind }) => kind)).toEqual(['refused', 'refused', 'taken']);
    expect(toyContextOf(await world.stored(id)).count).toBe(10);
  });

  it('that come while their actor is read are decided from a later read', async () => {
    const memory = openMemoryStore();
    const late: Promise<Dispatched>[] = [];
    let closes = false;
    const store = withActors(memory, (actors) => ({
      load: async (kind, ids) => {
        const read = await actors.load(kind, ids);
        if (!closes) return read;
        closes = false;
        await world.beside({ store: memory }).engine.dispatch(play(id, { close: true }));
        late.push(world.engine.dispatch(eventFor(id, RESUME)));
        return read;
      },
    }));
    const world = new World({ store });
    const id = await world.makeToy();
    closes = true;
    expect(await world.engine.dispatch(eventFor(id, RESUME))).toMatchObject({ kind: 'taken', changed: false });
    expect(await late[0]).toMatchObject({ kind: 'refused', doc: { value: 'closed' } });
  });

  it('wait in order while their actor is being written', async () => {
    const { world, id } = await openToy();
    const first = world.engine.dispatch(play(id, { text: 'a' }));
    await Promise.resolve();
    await Promise.resolve();
    const rest = ['b', 'c', 'd'].map((text) => world.engine.dispatch(play(id, { text })));
    await Promise.all([first, ...rest]);
    await quiet(world);
    const rows = await world.journal(id);
    expect(rows.slice(1).map(({ event }) => event['customVariables'])).toMatchObject(
      ['a', 'b', 'c', 'd'].map((text) => ({ text })),
    );
  });
});

describe('a document that a caller has seen', () => {
  it('saves the read', async () => {
    const { world, id, calls } = await openToy();
    const seen = await world.stored(id);
    calls.length = 0;
    await world.engine.dispatch({ ...play(id, { add: 1 }), seen });
    expect(calls).toEqual(['commit 1']);
  });

  it('costs a second try if it is stale, and loses nothing', async () => {
    const { world, id } = await openToy();
    const seen = await world.stored(id);
    await world.engine.dispatch(play(id, { add: 1 }));
    await world.engine.dispatch({ ...play(id, { add: 1 }), seen });
    expect(toyContextOf(await world.stored(id)).count).toBe(2);
  });

  it('never decides a refusal, or an acknowledgement without a write', async () => {
    const { world, id } = await openToy();
    const open = await world.stored(id);
    await world.engine.dispatch(play(id, { close: true }));
    const event = eventFor(id, RESUME);
    expect(await world.engine.dispatch({ ...event, seen: open })).toMatchObject({
      kind: 'refused',
      doc: { value: 'closed' },
    });

    const other = await world.makeToy();
    const closed = { ...(await world.stored(other)), value: 'closed' };
    expect(await world.engine.dispatch({ ...play(other, { add: 1 }), seen: closed })).toMatchObject({ kind: 'taken' });
  });

  it('from one caller decides nothing for another whose event waits beside it', async () => {
    const memory = openMemoryStore();
    const others: Promise<Dispatched>[] = [];
    let beside = '';
    const store = withActors(memory, (actors) => ({
      load: async (kind, ids) => {
        if (beside !== '' && others.length === 0) others.push(world.engine.dispatch(play(beside, { text: 'second' })));
        return actors.load(kind, ids);
      },
    }));
    const world = new World({ store });
    const [id, unseen] = [await world.makeToy(), await world.makeToy()];
    const closed = { ...(await world.stored(id)), value: 'closed' };
    beside = id;
    // Enough for one flush to contain both, so that it has to wait for a read.
    const [first] = await world.engine.dispatchMany([
      { ...play(id, { text: 'first' }), seen: closed },
      ...Array.from({ length: 8 }, () => play(unseen, { add: 1 })),
    ]);
    expect([first?.kind, (await others[0])?.kind]).toEqual(['taken', 'taken']);
    expect(toyContextOf(await world.stored(id)).text).toBe('second');
  });

  it('is checked again if it is quarantined', async () => {
    const { world, id } = await openToy();
    const seen = { ...(await world.stored(id)), quarantine: { at: world.clock.now(), reason: 'then' } };
    expect(await world.engine.dispatch({ ...play(id, { add: 1 }), seen })).toMatchObject({ kind: 'taken' });
  });
});

describe('a process whose writes are always late', () => {
  it('answers its caller, and does not try for ever', async () => {
    const store = withActors(openMemoryStore(), (actors) => ({
      commit: async (kind, batch) => (isLate ? batch.commits.map(() => 'lost' as const) : actors.commit(kind, batch)),
    }));
    let isLate = false;
    const { world, id } = await openToy({ store });
    isLate = true;
    await expect(world.engine.dispatch(play(id, { add: 1 }))).rejects.toMatchObject({
      code: 'internal',
      internal: expect.stringContaining('lost 64 times'),
    });
  });
});

describe('a lost answer', () => {
  /** A store that makes the next commit after `loses` is set, and does not answer. */
  function lossy() {
    const line = { loses: false };
    const store = withActors(openMemoryStore(), (actors) => ({
      commit: async (kind, commits) => {
        const verdicts = await actors.commit(kind, commits);
        if (!line.loses) return verdicts;
        line.loses = false;
        throw new UnknownOutcome('the answer was lost');
      },
    }));
    return { line, store };
  }

  it('rejects its caller, and the relay runs the stored effects', async () => {
    const { line, store } = lossy();
    const { world, id } = await openToy({ store });
    line.loses = true;
    await expect(world.engine.dispatch(play(id, { add: 1, emit: 1 }))).rejects.toThrow(UnknownOutcome);
    expect(world.carried).toEqual([]);
    await world.relayAll();
    expect(world.carried).toEqual([`${id}:2:0`]);
    expect(await world.replayed(id)).toMatchObject({ rev: 2 });
  });

  it('of a message does not make it count twice when it is sent again', async () => {
    const { line, store } = lossy();
    const { world, id } = await openToy({ store, kind: 'payment' });
    line.loses = true;
    const message = withdrawal(id, 'sub_1', [4, 2]);
    await expect(world.engine.dispatch(message)).rejects.toThrow(UnknownOutcome);
    expect(await world.engine.dispatch(message)).toMatchObject({ kind: 'taken', changed: false });
    expect(toyContextOf(await world.stored(id, 'payment')).count).toBe(1);
  });
});

describe('messages between actors', () => {
  it.each([
    ['in order', '1.0 1.1 2.0 10.0', 4],
    ['again', '2.1 2.1 2.1', 1],
    ['overtaken', '3.0 2.9 3.0 3.1', 2],
  ])('%s are accepted once each, and only forward', async (_, marks, count) => {
    const { world, id } = await openToy({ kind: 'payment' });
    for (const mark of marks.split(' ')) {
      const [rev = 0, index = 0] = mark.split('.').map(Number);
      expect((await world.engine.dispatch(withdrawal(id, 'sub_1', [rev, index]))).kind).toBe('taken');
    }
    const doc = await world.stored(id, 'payment');
    expect(await world.replayed(id, 'payment')).toMatchObject({ rev: doc.rev });
    expect(toyContextOf(doc).count).toBe(count);
  });

  it('of different senders do not block each other', async () => {
    const { world, id } = await openToy({ kind: 'payment' });
    for (const from of ['sub_1', 'sub_2', 'sub_1', 'sub_2']) {
      await world.engine.dispatch(withdrawal(id, from, [5, 0]));
    }
    expect(toyContextOf(await world.stored(id, 'payment'))).toMatchObject({
      count: 2,
      heard: [
        ['sub_1', [5, 0]],
        ['sub_2', [5, 0]],
      ],
    });
  });

  it('keep the last eight senders, and forget the longest silent first', async () => {
    const { world, id } = await openToy({ kind: 'payment' });
    const senders = [1, 2, 3, 4, 5, 6, 7, 8, 1, 9].map((n) => `sub_${n}`);
    for (const [index, from] of senders.entries()) {
      await world.engine.dispatch(withdrawal(id, from, [index + 1, 0]));
    }
    const heard = toyContextOf(await world.stored(id, 'payment')).heard.map(([from]) => from);
    expect(heard).toEqual([3, 4, 5, 6, 7, 8, 1, 9].map((n) => `sub_${n}`));
  });
});

describe('an unsound document', () => {
  it('is quarantined alone: the others of its batch continue, and its callers are answered after that', async () => {
    const world = new World();
    const ids = [await world.makeToy(), await world.makeToy(), await world.makeToy()];
    const [, bad = ''] = ids;
    await world.corrupt(bad, { context: { id: bad } });
    const results = await Promise.allSettled(ids.map((id) => world.engine.dispatch(play(id, { add: 1 }))));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await world.stored(bad)).quarantine?.reason).toContain('cannot take variables.replaced');
    expect(await world.engine.dispatch(play(bad, { add: 1 }))).toMatchObject({ kind: 'quarantined' });
  });

  it.each([
    ['in a state that its machine does not have', { value: 'melted' }],
    ['in no state at all', { value: 7 }],
    ['without a context', { context: {} }],
    ['with a context of another shape', { context: { ...newToy('sub_1'), count: 'many' } }],
    ['with more in its context than there should be', { context: { ...newToy('sub_1'), more: 1 } }],
  ])('%s accepts nothing, and logs it once for all', async (_, wrong) => {
    const { world, id } = await openToy();
    await world.corrupt(id, wrong);
    await expect(world.engine.dispatch(play(id, { add: 1 }))).rejects.toMatchObject({ code: 'internal' });
    expect((await world.stored(id)).quarantine).not.toBeNull();
    expect(await world.journal(id)).toMatchObject([{ rev: 1 }, { rev: 3, event: { type: 'actor.quarantined' } }]);
  });

  it('is what a broken machine makes: one check in so many finds it, or else the next read', async () => {
    const world = new World({ isChecked: oneIn(5) });
    const ids = await Promise.all(Array.from({ length: 10 }, () => world.makeToy({ count: Number.MAX_SAFE_INTEGER })));
    const broken = () => Promise.allSettled(ids.map((id) => world.engine.dispatch(play(id, { add: 1 }))));
    const found = [await broken(), await broken()].map((all) => all.filter(({ status }) => status === 'rejected'));
    expect(found.map(({ length }) => length)).toEqual([2, 8]);
    const docs = await world.store.actors.load('subscription', ids);
    expect(docs.filter(({ quarantine }) => quarantine === null)).toEqual([]);
    expect(docs.map(({ rev }) => rev).sort()).toEqual([2, 2, 3, 3, 3, 3, 3, 3, 3, 3]);
  });

  it('is quarantined because its machine throws, and nothing of the burst is stored', async () => {
    const { world, id } = await openToy();
    const results = await Promise.allSettled([
      world.engine.dispatch(play(id, { add: 1 })),
      world.engine.dispatch(play(id, { throw: true })),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await world.stored(id)).toMatchObject({ rev: 2, context: { count: 0 } });
    expect((await world.stored(id)).quarantine?.reason).toContain('the toy is broken');
  });

  it('does not include one whose new state cannot be stored: only its caller fails, and the others of its batch continue', async () => {
    const { store, calls } = spied(openMemoryStore());
    const world = new World({ store });
    const ids = await Promise.all(Array.from({ length: 40 }, () => world.makeToy()));
    calls.length = 0;
    const results = await Promise.allSettled(
      ids.map((id, index) => world.engine.dispatch(play(id, { add: 1, text: index === 13 ? '\ud800' : 'sound' }))),
    );
    expect(calls.filter((call) => call === 'commit 10')).toHaveLength(4);
    expect(results.flatMap(({ status }, index) => (status === 'rejected' ? index : []))).toEqual([13]);
    const docs = await world.store.actors.load('subscription', ids);
    expect(docs.filter(({ quarantine }) => quarantine !== null)).toEqual([]);
    expect(docs.filter(({ rev }) => rev === 2)).toHaveLength(39);
    expect(await world.engine.dispatch(play(ids[13] ?? '', { add: 1 }))).toMatchObject({
      kind: 'taken',
      doc: { rev: 2 },
    });
  });

  it('does not include one whose database does not answer', async () => {
    const store = withActors(openMemoryStore(), (actors) => ({
      load: async (kind, ids) => {
        if (isDown) throw new UnknownOutcome('no answer');
        return actors.load(kind, ids);
      },
    }));
    let isDown = false;
    const { world, id } = await openToy({ store });
    isDown = true;
    await expect(world.engine.dispatch(play(id, { add: 1 }))).rejects.toThrow(UnknownOutcome);
    isDown = false;
    expect(await world.engine.dispatch(play(id, { add: 1 }))).toMatchObject({ kind: 'taken' });
  });
});

describe('the creation of actors', () => {
  it('writes each with its first event, its effects and its first journal row', async () => {
    const { world, id } = await openToy({ toy: { text: 'new' } });
    expect(await world.stored(id)).toMatchObject({
      rev: 1,
      status: 'open',
      context: { text: 'new' },
      machineVersion: 1,
      merchantId: 'mrc_1',
      outbox: [],
      quarantine: null,
    });
    expect(await world.replayed(id)).toMatchObject({ rev: 1 });
  });

  it('makes each once', async () => {
    const { world, id } = await openToy();
    const made = await world.engine.create('subscription', [creation(id), creation(toyId())]);
    expect(made).toMatchObject([{ kind: 'exists' }, { kind: 'created' }]);
  });

  it('records the message that caused it', async () => {
    const world = new World();
    const id = toyId('pay');
    await world.engine.create('payment', [{ ...creation(id, {}, 'payment'), sender: { id: 'sub_1', mark: [3, 1] } }]);
    expect(await world.engine.dispatch(withdrawal(id, 'sub_1', [3, 1]))).toMatchObject({ changed: false });
    expect(await world.engine.dispatch(withdrawal(id, 'sub_1', [3, 2]))).toMatchObject({ changed: true });
    await quiet(world);
    expect(await world.replayed(id, 'payment')).toMatchObject({ rev: 2 });
  });

  it('refuses an input of another shape', async () => {
    const world = new World();
    const wrong = { ...creation(toyId()), context: { nothing: 'of the kind' } };
    await expect(world.engine.create('subscription', [wrong])).rejects.toThrow();
  });
});
