import { ReplayError, replay, replayOf } from '../../src/engine/replay.ts';
import type { JournalRow, StoredActor } from '../../src/store/documents.ts';
import { TOYS } from './support/toy.ts';
import { changing, openToy, play, quiet, type World, withdrawal } from './support/world.ts';

/** A toy with five rows in its journal. */
async function reported(): Promise<{ world: World; id: string; rows: JournalRow[]; doc: StoredActor }> {
  const { world, id } = await openToy();
  for (const text of ['a', 'b', 'c', 'd']) {
    world.clock.advance(1_000);
    await world.engine.dispatch(play(id, { add: 1, text, emit: 1 }));
  }
  await quiet(world);
  const doc = await world.stored(id);
  return { world, id, rows: await world.journal(id), doc };
}

function problemOf(work: () => unknown): ReplayError {
  try {
    work();
  } catch (error) {
    if (error instanceof ReplayError) return error;
    throw error;
  }
  throw new Error('the replay found nothing');
}

describe('the replay of a journal', () => {
  it('leads to the stored snapshot, bit for bit', async () => {
    const { rows, doc } = await reported();
    expect(replay(TOYS, doc, rows)).toEqual({ rev: 5, version: 1, state: { value: doc.value, context: doc.context } });
    expect(replayOf(TOYS, doc, rows)).toMatchObject({ rev: 5 });
  });

  it('of its beginning leads to the state at that time', async () => {
    const { rows, doc } = await reported();
    expect(replay(TOYS, doc, rows.slice(0, 3))).toMatchObject({ rev: 3, state: { context: { count: 2, text: 'b' } } });
  });

  it('names the field of the document that differs', async () => {
    const { doc, rows, id } = await reported();
    const changed = { ...doc, context: { ...doc.context, count: 5 } };
    const problem = problemOf(() => replayOf(TOYS, changed, rows));
    expect(problem.message).toBe(`${id} rev 5: the document differs from its journal in context.count (5, replayed 4)`);
    const elsewhere = problemOf(() => replayOf(TOYS, { ...doc, value: 'closed' }, rows));
    expect(elsewhere.message).toContain('in value ("closed", replayed "open")');
    const more = problemOf(() => replayOf(TOYS, { ...doc, context: { ...doc.context, more: 1 } }, rows));
    expect(more.message).toContain('in context.more (1, replayed absent)');
  });

  it.each([
    [
      'another event',
      { event: { type: 'variables.replaced', now: '2026-03-01T12:00:02.000Z', customVariables: { add: 7 } } },
    ],
    ['an event of another time', { event: { type: 'variables.replaced', now: 'noon', customVariables: {} } }],
    [
      'an event that is not taken there',
      { event: { type: 'charge.withdrawn', now: '2026-03-01T12:00:02.000Z', more: 1 } },
    ],
    ['other effects', { effects: [] }],
    ['another state to end in', { to: 'closed' }],
    ['another hash', { hash: 'f00' }],
    ['another version of the machine', { version: 2 }],
  ] as [string, Partial<JournalRow>][])('that finds %s names the row', async (_, change) => {
    const { rows, doc, id } = await reported();
    expect(problemOf(() => replay(TOYS, doc, changing(rows, 3, change)))).toMatchObject({ actorId: id, rev: 3 });
  });

  it('refuses a journal without rows, or without the creation at its beginning', async () => {
    const { rows, doc, id } = await reported();
    const [, second] = rows;
    if (!second) throw new Error('no second row');
    expect(problemOf(() => replay(TOYS, doc, [{ ...second, rev: 1 }]))).toMatchObject({ actorId: id, rev: 1 });
    expect(problemOf(() => replay(TOYS, doc, []))).toMatchObject({ actorId: id, rev: 1 });
  });

  it('finds a message that was accepted before', async () => {
    const { world, id } = await openToy({ kind: 'payment' });
    await world.engine.dispatch(withdrawal(id, 'sub_1', [1, 0]));
    await quiet(world);
    const doc = await world.stored(id, 'payment');
    const rows = await world.journal(id, 'payment');
    const [, last] = rows;
    if (!last) throw new Error('no second row');
    expect(replay(TOYS, doc, rows)).toMatchObject({ rev: 2 });
    const problem = problemOf(() => replay(TOYS, doc, [...rows, { ...last, rev: 3 }]));
    expect(problem.message).toContain('had been taken before');
  });
});
