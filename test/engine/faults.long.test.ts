import { faultHook } from '../../devnet/faults.ts';
import { MACHINES } from '../../machines/versions.ts';
import { FAULT_POINTS, type FaultHook, type FaultPoint, parseFaultPlans } from '../../src/engine/faults.ts';
import { journalOf } from '../../src/engine/journal.ts';
import { replayOf } from '../../src/engine/replay.ts';
import type { StoredActor } from '../../src/store/documents.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { LedgerStore } from '../../src/store/port.ts';
import { Outside, openBilling, paymentIdOf, subscriptionCreation, subscriptionOf } from './support/billing.ts';
import { deferred, TestClock, type World } from './support/world.ts';

/** The points of the engine; the others belong to the chain's sender, its reconciler and the deliveries. */
const ENGINE_POINTS = FAULT_POINTS.filter((point) => /^(commit|relay)\./.test(point));

const ID = 'sub_faulty';

/** With one check of the chain before each renewal. */
const EVERY_OTHER_DAY = { interval: { unit: 'day', count: 2 } } as const;

/** Where the fault happens: a point, its detail, and the number of the arrival. */
interface Hit {
  readonly point: FaultPoint;
  readonly detail: string;
  readonly nth: number;
}

/** One life of a subscription, over as many processes as it takes. */
class Life {
  readonly store: LedgerStore = openMemoryStore();
  readonly clock = new TestClock();
  /** The first charge pays. The renewal fails twice and then pays. The cancel withdraws the next one, or it settles. */
  readonly outside = new Outside((id, attempt) => (id.endsWith('_2') && attempt < 3 ? 'refuses' : 'pays'));
  readonly arrivals = new Map<string, number>();
  readonly #hit: Hit | null;
  readonly #how: 'fails' | 'dies';
  #world: World;
  #death = deferred<void>();
  wasHit = false;

  constructor(hit: Hit | null, how: 'fails' | 'dies' = 'fails') {
    this.#hit = hit;
    this.#how = how;
    this.#world = this.#process();
  }

  async live(): Promise<this> {
    await this.#until(async ({ engine, store }) => {
      await engine.create('subscription', [subscriptionCreation(ID, EVERY_OTHER_DAY)]);
      return (await store.actors.load('subscription', [ID])).length === 1;
    });
    await this.#rest();
    await this.#send({ type: 'allowance.seen', covers: true, payable: true });
    await this.#untilPaid(3);
    await this.#until(async ({ engine }) => {
      const event = { type: 'cancel.requested', atPeriodEnd: false, reason: 'requested' } as const;
      const result = await engine.dispatch({ kind: 'subscription', id: ID, event, by: 'api' });
      return result.kind === 'taken' || (result.kind === 'refused' && result.doc.status === 'canceled');
    });
    await this.#rest();
    return this;
  }

  async #send(event: { type: 'allowance.seen'; covers: boolean; payable: boolean }): Promise<void> {
    await this.#until(async ({ engine }) => {
      const result = await engine.dispatch({ kind: 'subscription', id: ID, event, by: 'chain' });
      return result.kind === 'taken' || result.kind === 'refused';
    });
  }

  /** Advances from one due moment to the next, with the work of the jobs. */
  async #untilPaid(cycles: number): Promise<void> {
    for (let moments = 0; moments < 20; moments += 1) {
      await this.#rest();
      const [doc] = await this.store.actors.load('subscription', [ID]);
      if (doc && subscriptionOf(doc).cyclesCompleted === cycles) return;
      const due = await this.store.actors.earliestWake('subscription');
      if (due && due > this.clock.now()) this.clock.advance(due.getTime() - this.clock.now().getTime());
    }
  }

  async #rest(): Promise<void> {
    for (let pass = 0; pass < 2; pass += 1) {
      await this.#attempt((world) => world.engine.dispatchDue('subscription'));
      await this.#quiet();
      await this.#attempt((world) => this.outside.pump(world.engine));
      await this.#quiet();
      this.clock.advance(3_000);
      for (const kind of ['subscription', 'payment'] as const) {
        await this.#attempt((world) => world.relay(kind));
      }
      await this.#quiet();
    }
  }

  /** Waits for all work of the present process; a dead process has none. */
  async #quiet(): Promise<void> {
    do {
      await new Promise((resolve) => setImmediate(resolve));
    } while (this.#world.engine.isBusy());
  }

  /** A caller without an acknowledgement asks again. */
  async #until(work: (world: World) => Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < 5; tries += 1) if (await this.#attempt(work)) return;
    throw new Error('not done after five tries');
  }

  /** Undefined: it failed, or the process died; after a death, the next process is there. */
  async #attempt<T>(work: (world: World) => Promise<T>): Promise<T | undefined> {
    const death = this.#death.promise.then(() => undefined);
    return Promise.race([work(this.#world).catch(() => undefined), death]);
  }

  #process(): World {
    const { store, clock, outside } = this;
    return openBilling({ store, clock, outside, fault: this.#fault });
  }

  readonly #fault: FaultHook = async (point, detail = '') => {
    const name = `${point}/${detail}`;
    const arrival = (this.arrivals.get(name) ?? 0) + 1;
    this.arrivals.set(name, arrival);
    const hit = this.#hit;
    if (this.wasHit || hit === null || hit.point !== point || hit.detail !== detail || hit.nth !== arrival) return;
    this.wasHit = true;
    if (this.#how === 'fails') throw new Error(`fault at ${name}`);
    this.#world = this.#process();
    this.#death.resolve();
    this.#death = deferred();
    await new Promise(() => {});
  };
}

/** The lasting results of a life: the chain, the events, and the state of the actors. */
async function outcomeOf({ store, outside }: Life): Promise<object> {
  const [subscription] = await store.actors.load('subscription', [ID]);
  if (!subscription) throw new Error('no subscription');
  const { cyclesCompleted, lastCycle, consecutiveFailures, currentPeriodEnd, ended } = subscriptionOf(subscription);
  const ids = Array.from({ length: lastCycle }, (_, index) => paymentIdOf(ID, index + 1));
  const payments = await store.actors.load('payment', ids);
  for (const doc of [subscription, ...payments]) await requireSound(store, doc);
  return {
    transfers: outside.transfers,
    events: [...outside.events.values()].sort(),
    counted: [...outside.counted],
    payments: payments.map(({ _id, status, context }) => [_id, status, context['attempt']]).sort(),
    subscription: {
      cyclesCompleted,
      lastCycle,
      consecutiveFailures,
      currentPeriodEnd: currentPeriodEnd?.slice(0, 10),
      ended: ended?.reason,
    },
  };
}

/** Nothing waits, nothing is quarantined, and the journal leads to the stored state. */
async function requireSound(store: LedgerStore, doc: StoredActor): Promise<void> {
  const { _id: id, outbox, quarantine } = doc;
  expect({ id, outbox, quarantine }).toEqual({ id, outbox: [], quarantine: null });
  const rows = await journalOf(store, doc);
  expect(rows).toHaveLength(doc.rev);
  replayOf(MACHINES, doc, rows);
}

describe('a fault at each point of the engine', () => {
  it('loses nothing and doubles nothing, for any event or effect, whether the process continues or dies', async () => {
    const plain = await new Life(null).live();
    const expected = await outcomeOf(plain);
    expect(expected).toMatchObject({
      transfers: [1, 2, 3].map((cycle) => paymentIdOf(ID, cycle)),
      subscription: { cyclesCompleted: 3, ended: 'requested' },
    });
    expect([...new Set([...plain.arrivals.keys()].map((name) => name.split('/')[0]))].sort()).toEqual(
      [...ENGINE_POINTS].sort(),
    );

    const missed: string[] = [];
    for (const [name, arrivals] of plain.arrivals) {
      const [, point = '', detail = ''] = /^([^/]+)\/(.*)$/.exec(name) ?? [];
      for (const { how, nth } of [
        { how: 'fails', nth: 1 },
        { how: 'dies', nth: arrivals },
      ] as const) {
        const life = await new Life({ point: pointOf(point), detail, nth }, how).live();
        if (!life.wasHit) missed.push(`${name}@${nth}`);
        expect({ name, nth, how, outcome: await outcomeOf(life) }).toEqual({ name, nth, how, outcome: expected });
      }
    }
    expect(missed).toEqual([]);
  }, 120_000);
});

function pointOf(name: string): FaultPoint {
  const point = FAULT_POINTS.find((each) => each === name);
  if (!point) throw new Error(`${name} is not declared`);
  return point;
}

describe('FAULTS', () => {
  it('names points, details, arrivals and actions', () => {
    expect(parseFaultPlans('commit.after/charge.open@2=kill, relay.ack.after=delay')).toEqual([
      { point: 'commit.after', detail: 'charge.open', hit: 2, action: 'kill' },
      { point: 'relay.ack.after', detail: null, hit: 1, action: 'delay' },
    ]);
  });

  it.each([
    'commit.sometime=kill',
    'commit.after',
    'commit.after=stop',
    'commit.after@x=kill',
    '',
    'commit.after=kill,',
  ])('refuses "%s", and names the part', (text) => {
    expect(() => parseFaultPlans(text)).toThrow(/FAULTS: ".*" is not point/);
  });

  it('are carried out at their arrival only', async () => {
    const reached: string[] = [];
    const listener = { reached: (point: string) => void reached.push(point), carriesOut: () => {} };
    const hook = faultHook(parseFaultPlans('commit.after/cycle.due@2=throw'), listener);
    await hook('commit.after', 'cycle.due');
    await hook('commit.after', 'charge.settled');
    await hook('commit.before', 'cycle.due');
    await expect(hook('commit.after', 'cycle.due')).rejects.toThrow('fault injected at commit.after');
    await hook('commit.after', 'cycle.due');
    expect(reached).toEqual(['commit.after', 'commit.after', 'commit.before', 'commit.after', 'commit.after']);
  });
});
