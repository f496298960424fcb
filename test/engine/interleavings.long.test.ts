import { HEADS, headOf } from '../../src/store/actors/heads.ts';
import { UNDER_WAY_MS } from '../../src/store/actors/timers.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { LedgerStore } from '../../src/store/port.ts';
import { copyOf, explore, type Process, Run } from './support/interleavings.ts';
import { type Script, toyContextOf } from './support/toy.ts';
import { play, quiet, TestClock, World } from './support/world.ts';

/**
 * Processes whose steps on the database come in every order, and which die at every point: what is committed happens,
 * what is not committed does not.
 */
describe('processes that work on the same actors at once', () => {
  const clock = new TestClock();
  let initial: LedgerStore;
  let toys: readonly string[];

  beforeAll(async () => {
    initial = openMemoryStore();
    const world = new World({ store: initial, clock });
    toys = [await world.makeToy(), await world.makeToy()];
  });

  const due = clock.in(0);
  const writes = (...scripts: readonly Script[]): Process => ({
    run: async ({ engine }) => {
      const done = await engine.dispatchMany(scripts.map((script, toy) => play(toys[toy] ?? '', script)));
      return done.map(({ kind }) => kind);
    },
  });
  /** The jobs of a process: to them all work of the others is left behind. */
  const jobs: Process = {
    aheadMs: 11_000,
    run: async ({ engine }) => [await engine.dispatchDue('subscription'), await engine.relayLeftBehind('subscription')],
  };

  const start = (processes: readonly Process[]) => () =>
    Run.start(initial, processes, (store, clock, carry) => {
      const isJobs = clock.now().getTime() > Date.parse(due);
      return new World({
        store,
        clock,
        dispatchesDue: isJobs,
        carry: async ({ id }): Promise<'done'> => {
          await carry(id);
          return 'done';
        },
      });
    });

  /** All processes die here; one more starts, hours later. */
  async function expectRecovered(run: Run): Promise<void> {
    const store = await copyOf(run.store);
    const late = new TestClock();
    late.advance(3 * UNDER_WAY_MS);
    const world = new World({ store, clock: late });
    const ran = [...run.ran];
    for (let round = 0; round < 3; round += 1) {
      late.advance(60_000);
      await world.engine.dispatchDue('subscription');
      await world.relayAll(['subscription']);
      await quiet(world);
    }
    for (const id of world.carried) if (!ran.includes(id)) ran.push(id);
    const decided: string[] = [];
    for (const id of toys) {
      const doc = await world.stored(id);
      const journal = await world.journal(id);
      const effects = journal.flatMap(({ rev, effects }) => effects.map((_, index) => `${id}:${rev}:${index}`));
      expect(ran.filter((each) => each.startsWith(`${id}:`))).toEqual(effects);
      decided.push(...effects);
      expect(toyContextOf(doc)).toMatchObject({ wakeAt: null });
      expect(journal.map(({ rev }) => rev)).toEqual(journal.map((_, index) => index + 1));
      await world.replayed(id);
      await store.actors.writeHeads('subscription', [doc]);
      expect(await store.records.get(HEADS.subscription, [id])).toEqual([headOf(doc)]);
    }
    expect(ran).toHaveLength(decided.length);
    expect(await store.records.count('timers', {})).toBe(0);
    expect(await store.records.find('outbox', { where: {}, limit: 9 })).toEqual([]);
    expect(world.troubles).toEqual([]);
  }

  async function expectSafe(processes: readonly Process[], fewest: number): Promise<void> {
    const states = await explore(start(processes), async (run) => {
      try {
        await expectRecovered(run);
      } catch (error) {
        throw new Error(`${String(error)}\nafter ${run}`, { cause: error });
      }
    });
    expect(states).toBeGreaterThan(fewest);
  }

  it('lose no effect, and run them in order: a write of two actors, and one of the first', async () => {
    await expectSafe([writes({ emit: 1 }, { emit: 1 }), writes({ emit: 1 })], 100);
  });

  it('lose no effect of one actor to a write of another that has none', async () => {
    await expectSafe([writes({ emit: 1 }, { emit: 1 }), writes({ add: 1 })], 50);
  });

  it('lose no effect to jobs that take it for left behind', async () => {
    await expectSafe([writes({ emit: 1, wakeAt: due }), jobs], 15);
  });

  it('lose no wake: both want the same, and the jobs read the timers', async () => {
    await expectSafe([writes({ wakeAt: due }), writes({ add: 1, wakeAt: due }), jobs], 100);
  });
});
