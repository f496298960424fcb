import { type Admit, DUE_LEASE_MS, DueActors, type DueDeps } from '../../src/engine/due.ts';
import { SCAN_MAX } from '../../src/engine/scanner.ts';
import { EVERY_PARTITION, type StoredActor } from '../../src/store/documents.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import { type Leases, storeLeases, Workers } from '../../src/store/workers.ts';
import { actor } from '../store/support/documents.ts';
import { deferred, TestClock } from './support/world.ts';

const GROUPS = 20;

/** Due actors, spread over all partitions. */
class Due {
  readonly left: StoredActor[];
  /** The partitions of each scan. */
  readonly scans: (readonly number[])[] = [];
  /** How often each actor was dispatched. */
  readonly dispatched = new Map<string, number>();

  constructor(count: number) {
    this.left = Array.from({ length: count }, (_, index) => {
      return actor({ _id: `sub_${index}`, partition: index % EVERY_PARTITION.length });
    });
  }

  readonly scanner: DueDeps['scanner'] = {
    due: async (_, partitions) => {
      this.scans.push(partitions);
      return this.left.filter(({ partition }) => partitions.includes(partition)).slice(0, SCAN_MAX);
    },
  };

  readonly dispatch: DueDeps['dispatch'] = async (docs) => {
    await new Promise((resolve) => setImmediate(resolve));
    for (const doc of docs) {
      this.dispatched.set(doc._id, (this.dispatched.get(doc._id) ?? 0) + 1);
      this.left.splice(this.left.indexOf(doc), 1);
    }
  };

  get scannedGroups(): ReadonlySet<number> {
    const groups = this.scans.filter(({ length }) => length < EVERY_PARTITION.length);
    return new Set(groups.map((partitions) => Math.min(...partitions)));
  }
}

const FREE: Leases = { take: async () => true, release: async () => undefined, workers: 1 };
const ALONE: DueDeps['workers'] = { calling: (_, run) => run(), isCalled: () => false };
const ALL: Admit = async (docs) => ({ docs });

function processOn(due: Due, deps: Partial<DueDeps> = {}): DueActors {
  const { scanner, dispatch } = due;
  return new DueActors({ scanner, dispatch, leases: FREE, workers: ALONE, admit: ALL, ...deps });
}

describe('dispatching all due actors of a kind', () => {
  it.each([
    ['if there are none', 0, [EVERY_PARTITION]],
    ['for a few, and one that finds no more', 20, [EVERY_PARTITION, EVERY_PARTITION]],
  ])('takes one scan %s, without a lease', async (_, count, scans) => {
    const due = new Due(count);
    const leases: Leases = { ...FREE, take: async () => false };
    expect(await processOn(due, { leases }).dispatchAll('subscription')).toBe(count);
    expect(due.scans).toEqual(scans);
  });

  it('dispatches each of many once, in groups of partitions side by side', async () => {
    const due = new Due(600);
    let [underWay, most] = [0, 0];
    const admit: Admit = async (docs) => {
      underWay += 1;
      most = Math.max(most, underWay);
      return {
        docs,
        dispatched: async () => {
          underWay -= 1;
        },
      };
    };
    expect(await processOn(due, { admit }).dispatchAll('subscription')).toBe(600);
    expect([...due.dispatched.values()]).toEqual(Array.from({ length: 600 }, () => 1));
    expect(most).toBe(4);
  });

  it('touches the lock of its job before each batch', async () => {
    const due = new Due(600);
    let [touched, batches] = [0, 0];
    const admit: Admit = async (docs) => {
      batches += 1;
      expect(touched).toBeGreaterThanOrEqual(batches);
      return { docs };
    };
    await processOn(due, { admit }).dispatchAll('subscription', async () => {
      touched += 1;
    });
    expect(touched).toBe(batches);
  });

  it('leaves those for later that are not admitted, and searches no further', async () => {
    const due = new Due(600);
    expect(await processOn(due, { admit: async () => ({ docs: [] }) }).dispatchAll('subscription')).toBe(0);
    expect(due.dispatched.size).toBe(0);
    expect(due.scannedGroups.size).toBe(4);
  });

  it('goes on while some of a batch are admitted', async () => {
    const due = new Due(10);
    const admit: Admit = async (docs) => ({ docs: docs.filter(({ _id }) => _id !== 'sub_3').slice(0, 4) });
    expect(await processOn(due, { admit }).dispatchAll('subscription')).toBe(9);
    expect(due.left.map(({ _id }) => _id)).toEqual(['sub_3']);
  });

  it('fails with the failure of a group, after all others have ended', async () => {
    const due = new Due(600);
    const dispatch: DueDeps['dispatch'] = async (docs) => {
      if (docs.some(({ partition }) => partition % GROUPS < 8)) throw new Error('half of the groups fail');
      await due.dispatch(docs);
    };
    await expect(processOn(due, { dispatch }).dispatchAll('subscription')).rejects.toThrow('half of the groups fail');
    expect(due.scannedGroups.size).toBe(GROUPS);
    expect(due.left.every(({ partition }) => partition % GROUPS < 8)).toBe(true);
    expect(due.dispatched.size).toBeGreaterThan(250);
  });

  it('reports the end of a dispatch that failed', async () => {
    let ended = 0;
    const admit: Admit = async (docs) => ({
      docs,
      dispatched: async () => {
        ended += 1;
      },
    });
    const dispatch = () => Promise.reject(new Error('no store'));
    await expect(processOn(new Due(3), { admit, dispatch }).dispatchAll('subscription')).rejects.toThrow('no store');
    expect(ended).toBe(1);
  });

  it('leaves it to the run that this process has under way', async () => {
    const due = new Due(600);
    const [begun, go] = [deferred<void>(), deferred<void>()];
    const admit: Admit = async (docs) => {
      begun.resolve();
      await go.promise;
      return { docs };
    };
    const process = processOn(due, { admit });
    const running = process.dispatchAll('subscription');
    await begun.promise;
    expect(await process.dispatchAll('subscription')).toBe(0);
    go.resolve();
    expect(await running).toBe(600);
  });
});

describe('two processes with many due actors', () => {
  it('share them', async () => {
    const due = new Due(1_200);
    const { records } = openMemoryStore();
    const clock = new TestClock().now;
    const counts = await Promise.all(
      ['one', 'other'].map((holder) => {
        const leases = storeLeases({
          records,
          workers: new Workers({ records, holder }),
          leaseMs: DUE_LEASE_MS,
          clock,
        });
        return processOn(due, { leases }).dispatchAll('subscription');
      }),
    );
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1_200);
    expect([...due.dispatched.values()]).toEqual(Array.from({ length: 1_200 }, () => 1));
    expect(Math.min(...counts)).toBeGreaterThan(300);
  });

  it('leave a group alone whose lease the other one has', async () => {
    const due = new Due(600);
    const leases: Leases = { ...FREE, take: async (name) => name !== 'due:subscription:3' };
    expect(await processOn(due, { leases }).dispatchAll('subscription')).toBeGreaterThan(500);
    expect(due.scannedGroups.has(3)).toBe(false);
    expect(due.left.every(({ partition }) => partition % GROUPS === 3)).toBe(true);
    expect(due.left.length).toBeGreaterThan(0);
  });

  it('leave the scan of all partitions to the shares while they are called', async () => {
    const due = new Due(600);
    const called: string[] = [];
    const workers: DueDeps['workers'] = {
      calling: (kind, run) => {
        called.push(kind);
        return run();
      },
      isCalled: () => called.length > 0,
    };
    const none: Leases = { ...FREE, take: async () => false };
    expect(await processOn(due, { leases: none, workers }).dispatchAll('subscription')).toBe(0);
    expect(called.splice(0)).toEqual(['subscription']);
    const leases: Leases = { ...FREE, take: async (name) => Number(name.split(':')[2]) < 8 };
    const process = processOn(due, { leases, workers });
    expect(await process.dispatchAll('subscription')).toBeGreaterThan(250);
    expect(new Set(called)).toEqual(new Set(['subscription']));
    expect(due.left.every(({ partition }) => partition % GROUPS >= 8)).toBe(true);
    due.scans.length = 0;
    expect([await process.dispatchAll('subscription'), await process.dispatchShare('subscription')]).toEqual([0, 0]);
    expect(due.scans.filter(({ length }) => length === EVERY_PARTITION.length)).toEqual([]);
  });

  it('stop at a group whose lease they have lost', async () => {
    const due = new Due(16_000);
    const taken: string[] = [];
    const leases: Leases = {
      ...FREE,
      take: async (name) => {
        taken.push(name);
        return taken.filter((each) => each === name).length === 1;
      },
    };
    await processOn(due, { leases }).dispatchAll('subscription');
    expect(due.dispatched.size).toBe(GROUPS * SCAN_MAX);
  });
});
