import { unknownCase } from '../../../machines/unknown-case.ts';
import type { Log } from '../../../src/observability/log.ts';
import { LogActors } from '../../../src/store/actors/log-actors.ts';
import type { ActorKind } from '../../../src/store/documents.ts';
import { StoreUnavailable, UnknownOutcome } from '../../../src/store/errors.ts';
import type { ActorStore, CommitBatch, CommitVerdict, LedgerStore } from '../../../src/store/port.ts';
import { overriding } from '../../../stage/overriding.ts';
import type { Life } from '../life.ts';
import type { Mishaps } from '../mishaps.ts';
import type { VirtualTime } from '../time.ts';

export interface StorePortDeps {
  readonly store: Pick<LedgerStore, 'records' | 'counters' | 'roundTrips'>;
  readonly life: Life;
  readonly time: VirtualTime;
  readonly mishaps: Mishaps;
  readonly log: Pick<Log, 'warn'>;
  /** Gets every answered write of an actor, with its verdict. */
  readonly onCommitted: (kind: ActorKind, batch: CommitBatch, verdicts: readonly CommitVerdict[]) => void;
}

const SLOW_MS = 4_000;

/** As one process reaches it: late, lost or doubled calls. A commit can stop between any two writes. */
export function storePort(deps: StorePortDeps): LedgerStore {
  const { store, onCommitted } = deps;
  const records = reached(deps, 'records', store.records);
  const actors = new LogActors(records, deps.log);
  const commit: ActorStore['commit'] = async (kind, batch, between) => {
    const verdicts = await actors.commit(kind, batch, between);
    onCommitted(kind, batch, verdicts);
    return verdicts;
  };
  return {
    actors: overriding(actors, { commit }),
    records,
    counters: reached(deps, 'counters', store.counters),
    roundTrips: store.roundTrips,
    ping: async () => true,
    close: async () => undefined,
  };
}

const READS: ReadonlySet<string> = new Set(['find', 'findFields', 'count', 'tally', 'get', 'getWith']);

/** Writes of many documents; a part of them may be made. */
const WRITES_OF_MANY: ReadonlySet<string> = new Set(['insert', 'putNewer', 'remove']);

/** Writes to these may also be made again long after their answers. */
const REPEATED_LATE: ReadonlySet<unknown> = new Set([
  'log',
  'timers',
  'outbox',
  'subscriptions',
  'payments',
  'openPayments',
]);

/** Wraps every method of a part of the store as a call of the port. */
function reached<T extends object>(deps: StorePortDeps, part: string, target: T): T {
  const methods = new Map<string | symbol, unknown>();
  return new Proxy(target, {
    get: (of, name): unknown => {
      if (!methods.has(name)) {
        const method: unknown = Reflect.get(of, name, of);
        const isMethod = typeof method === 'function' && typeof name === 'string';
        const run = (args: readonly unknown[]) => async (): Promise<unknown> =>
          isMethod ? Reflect.apply(method, of, args) : method;
        methods.set(name, isMethod ? (...args: unknown[]) => call(deps, { part, name, args }, run) : method);
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

type Run = (args: readonly unknown[]) => () => Promise<unknown>;

function call(deps: StorePortDeps, { part, name, args }: Call, runWith: Run): Promise<unknown> {
  const { life, mishaps } = deps;
  const run = runWith(args);
  const what = `${part}.${name} ${typeof args[0] === 'string' ? args[0] : ''}`;
  if (READS.has(name)) {
    const mishap = mishaps.draw('store.down', 'store.slow');
    const read = mishap === 'store.down' ? async () => down(what) : run;
    return life.call(what, read, mishap === 'store.slow' ? SLOW_MS : 0);
  }
  const mishap = mishaps.draw('store.down', 'store.lost', 'store.unknown', 'store.twice', 'store.slow', 'store.partly');
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
      return life.call(what, () => twice(deps, { part, name, args }, run));
    case 'store.partly': {
      const part = partOf(deps, name, args);
      return life.call(what, async () => {
        if (part === null) return run();
        await runWith(part)();
        return unknown(what);
      });
    }
    default:
      return unknownCase(mishap, 'mishap');
  }
}

/** Writes that change nothing when they are repeated are repeated, at once or late. The first answer counts. */
async function twice({ mishaps, time }: StorePortDeps, { name, args }: Call, run: () => Promise<unknown>) {
  const answer = await run();
  if (!WRITES_OF_MANY.has(name)) return answer;
  if (!REPEATED_LATE.has(args[0]) || mishaps.random.next() < 0.5) await run();
  else void time.pause(mishaps.random.integer(1, SLOW_MS)).then(run);
  return answer;
}

/** The arguments with only some of several documents; null: it writes one at most. */
function partOf({ mishaps }: StorePortDeps, name: string, [of, docs, ...others]: readonly unknown[]) {
  if (!WRITES_OF_MANY.has(name) || !Array.isArray(docs) || docs.length < 2) return null;
  return [of, docs.filter(() => mishaps.random.next() < 0.5), ...others];
}

function down(what: string): never {
  throw new StoreUnavailable(`${what}: the database does not answer (simulated)`);
}

function unknown(what: string): never {
  throw new UnknownOutcome(`${what}: the answer was lost (simulated)`);
}
