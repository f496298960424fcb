import type { JsonObject } from '../../../machines/json.ts';
import type { Machines } from '../../../machines/versions.ts';
import type { LedgerStore } from '../../../src/store/port.ts';
import { KNOWS_1, KNOWS_1_2, KNOWS_1_2_3, newSecondToy, newThirdToy } from './released-toys.ts';
import { newToy } from './toy.ts';
import { creation, play, quiet, TestClock, toyId, World } from './world.ts';

/** The versions that a process knows and writes, and its input for a new toy. */
interface Release {
  readonly machines: Machines;
  readonly writes: number;
  readonly context: (id: string) => JsonObject;
}

const FIRST: Release = { machines: KNOWS_1, writes: 1, context: (id) => newToy(id) };
const SECOND: Release = { machines: KNOWS_1_2, writes: 2, context: newSecondToy };
const THIRD: Release = { machines: KNOWS_1_2_3, writes: 3, context: (id) => newThirdToy(id) };

/** Two upgrades of two steps each. In each step the processes of the second side replace those of the first. */
const STEPS: readonly (readonly [Release, Release])[] = [
  [FIRST, { ...SECOND, writes: 1 }],
  [{ ...SECOND, writes: 1 }, SECOND],
  [SECOND, { ...THIRD, writes: 2 }],
  [{ ...THIRD, writes: 2 }, THIRD],
];

/** The events of each toy in each step: the first half in turn, the second half by both at once. */
const EVENTS = 12;

interface Side {
  readonly world: World;
  readonly release: Release;
}

/**
 * Two whole upgrades on one store; `open` is called once per process. In each step both sides make a toy and send
 * events to all existing ones. After each step nothing is lost, and every journal leads to its snapshot as both sides
 * read it. Resolves with the versions of the toys after each step, in the order of creation.
 */
export async function rollOut(open: () => LedgerStore | Promise<LedgerStore>): Promise<number[][]> {
  const clock = new TestClock();
  const reported = new Map<string, number>();
  const versions: number[][] = [];
  for (const step of STEPS) {
    const sides = await Promise.all(step.map(async (release) => openSide(release, await open(), clock)));
    for (const side of sides) reported.set(await make(side), 0);
    await notifyAll(
      sides.map(({ world }) => world),
      [...reported.keys()],
    );
    for (const [id, before] of reported) reported.set(id, before + EVENTS);
    versions.push(await check(sides, reported));
  }
  return versions;
}

function openSide(release: Release, store: LedgerStore, clock: TestClock): Side {
  const writes = { subscription: release.writes };
  return { release, world: new World({ store, clock, machines: release.machines, writes, dispatchesDue: false }) };
}

async function make({ world, release }: Side): Promise<string> {
  const id = toyId();
  const [made] = await world.engine.create('subscription', [{ ...creation(id), context: release.context(id) }]);
  expect(made).toMatchObject({ kind: 'created', doc: { machineVersion: release.writes } });
  await quiet(world);
  return id;
}

async function notifyAll(worlds: readonly World[], ids: readonly string[]): Promise<void> {
  const atOnce: Promise<void>[] = [];
  for (let n = 0; n < EVENTS; n += 1) {
    const notify = send(worlds[n % worlds.length], ids);
    if (n < EVENTS / 2) await notify;
    else atOnce.push(notify);
  }
  await Promise.all(atOnce);
}

async function send(world: World | undefined, ids: readonly string[]): Promise<void> {
  const results = await world?.engine.dispatchMany(ids.map((id) => play(id, { add: 1, emit: 1 })));
  expect(results).toEqual(ids.map(() => expect.objectContaining({ kind: 'taken', changed: true })));
}

async function check(sides: readonly Side[], reported: ReadonlyMap<string, number>): Promise<number[]> {
  const worlds = sides.map(({ world }) => world);
  await quiet(...worlds);
  for (const world of worlds) await world.relayAll(['subscription']);
  expect(new Set(worlds.flatMap(({ carried }) => carried)).size).toBe(EVENTS * reported.size);
  expect(worlds.flatMap(({ troubles }) => troubles)).toEqual([]);
  const versions: number[] = [];
  for (const [id, count] of reported) {
    for (const world of worlds) await world.replayed(id);
    const [first] = worlds;
    const doc = await first?.stored(id);
    expect(doc).toMatchObject({ context: { count }, eventSeq: count, outbox: [], quarantine: null });
    versions.push(doc?.machineVersion ?? 0);
  }
  return versions;
}
