import { unknownCase } from '../../../machines/unknown-case.ts';
import type { ActorKind } from '../../../src/store/documents.ts';
import { StoreUnavailable, UnknownOutcome } from '../../../src/store/errors.ts';
import type { ActorStore, Commit, CommitVerdict, LedgerStore } from '../../../src/store/port.ts';
import type { Life } from '../life.ts';
import type { Mishaps } from '../mishaps.ts';
import { overriding } from '../overriding.ts';

export interface StorePortDeps {
  readonly store: LedgerStore;
  readonly life: Life;
  readonly mishaps: Mishaps;
  /** Gets every answered write of an actor, with its verdict. */
  readonly onCommitted: (kind: ActorKind, commits: readonly Commit[], verdicts: readonly CommitVerdict[]) => void;
}

const SLOW_MS = 4_000;

/** The store as one process reaches it: calls and answers can be late, lost, or done twice. */
export function storePort(deps: StorePortDeps): LedgerStore {
  const { store } = deps;
  return {
    actors: reached(deps, 'actors', withCommits(deps)),
    outboxes: reached(deps, 'outboxes', store.outboxes),
    records: reached(deps, 'records', store.records),
    counters: reached(deps, 'counters', store.counters),
    roundTrips: store.roundTrips,
    ping: async () => true,
    close: async () => undefined,
  };
}

const READS: ReadonlySet<string> = new Set([
  'load',
  'due',
  'earliestWake',
  'find',
  'count',
  'unrelayed',
  'get',
  'getWith',
]);

/** Writes that change nothing when they are repeated, and have the same answer. */
const REPEATABLE: ReadonlySet<string> = new Set(['commit', 'ack', 'setQuarantine']);

/** Wraps every method of a part of the store as a call of the port. */
function reached<T extends object>(deps: StorePortDeps, part: string, target: T): T {
  const methods = new Map<string | symbol, unknown>();
  return new Proxy(target, {
    get: (of, name): unknown => {
      if (!methods.has(name)) {
        const method: unknown = Reflect.get(of, name, of);
        const isMethod = typeof method === 'function' && typeof name === 'string';
        methods.set(
          name,
          isMethod
            ? (...args: unknown[]) =>
                call(deps, { part, name, args }, async (): Promise<unknown> => Reflect.apply(method, of, args))
            : method,
        );
      }
      return methods.get(name);
    },
  });
}

interface Call {
  readonly part: string;
  readonly name: string;
  readonly args: readonly unknown[];
}

function call(deps: StorePortDeps, { part, name, args }: Call, run: () => Promise<unknown>): Promise<unknown> {
  const { life, mishaps } = deps;
  const what = `${part}.${name} ${typeof args[0] === 'string' ? args[0] : ''}`;
  if (READS.has(name)) {
    const mishap = mishaps.draw('store.down', 'store.slow');
    const read = mishap === 'store.down' ? async () => down(what) : run;
    return life.call(what, read, mishap === 'store.slow' ? SLOW_MS : 0);
  }
  const mishap = mishaps.draw('store.down', 'store.lost', 'store.unknown', 'store.twice', 'store.slow');
  switch (mishap) {
    case null:
      return life.call(what, run);
    case 'store.slow':
      return life.call(what, run, SLOW_MS);
    case 'store.down':
      return life.call(what, async () => down(what));
    case 'store.unknown':
      return life.call(what, async () => unknown(what));
    case 'store.lost':
      return life.call(what, async () => {
        await run();
        return unknown(what);
      });
    case 'store.twice':
      return life.call(what, async () => {
        if (REPEATABLE.has(name)) await run();
        return run();
      });
    default:
      return unknownCase(mishap, 'mishap');
  }
}

/** Sometimes makes only some of several commits, and reports the verdicts of the others. */
function withCommits({ store, mishaps, onCommitted }: StorePortDeps): LedgerStore['actors'] {
  const commit: ActorStore['commit'] = async (kind, commits) => {
    if (commits.length > 1 && mishaps.draw('store.partly') !== null) {
      await store.actors.commit(
        kind,
        commits.filter(() => mishaps.random.next() < 0.5),
      );
      return unknown(`actors.commit ${kind}`);
    }
    const verdicts = await store.actors.commit(kind, commits);
    onCommitted(kind, commits, verdicts);
    return verdicts;
  };
  return overriding(store.actors, { commit });
}

function down(what: string): never {
  throw new StoreUnavailable(`${what}: the database does not answer (simulated)`);
}

function unknown(what: string): never {
  throw new UnknownOutcome(`${what}: the answer was lost (simulated)`);
}
