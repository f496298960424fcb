import { z } from 'zod';
import { MACHINES, type Machines } from '../../../machines/versions.ts';
import { type Advance, advance } from '../../../src/engine/advance.ts';
import { canonical } from '../../../src/engine/canonical.ts';
import { actorKind, journalOf } from '../../../src/engine/journal.ts';
import { replayStored } from '../../../src/engine/replay.ts';
import type { ActorDoc, ActorKind, JournalRow, StoredActor } from '../../../src/store/documents.ts';
import { paymentIdOf } from '../../../src/store/ids.ts';
import type { CollectionName, Store } from '../../../src/store/port.ts';
import { deliveryIdOf, eventOfDelivery } from '../../../src/webhooks/deliveries.ts';
import { dueEvents } from '../../../src/webhooks/due-deliveries.ts';
import { dueActors } from '../../lib/due-actors.ts';
import { ScriptError } from '../../lib/script.ts';

/** The most due actors of each kind that are shown. */
const DUE_MAX = 250;

const ACTORS: Readonly<Record<string, ActorKind>> = { sub: 'subscription', pay: 'payment' };
const RECORDS: Readonly<Record<string, CollectionName>> = {
  dlv: 'events',
  offer: 'offers',
  cust: 'customers',
  wal: 'wallets',
  mrc: 'merchants',
  evt: 'events',
};

const reported = z.looseObject({ type: z.string(), now: z.iso.datetime().optional() });

export const HELP = `
  load(id)            the stored document: sub_… pay_… inv_… dlv_… offer_… cust_… wal_… mrc_… evt_…
  journal(id)         the events that a subscription or payment has accepted, in order
  replay(id)          whether the journal leads to the stored state
  step(id, event)     what an event would do now, such as {type: 'resume.requested'}; with \`now\`: at another time
  due()               due actors and deliveries, the longest due first
  store               everything else: store.actors, store.records
  help()              this text
`;

/** The commands of the REPL. All of them read; none writes. */
export interface Commands {
  readonly load: (id: string) => Promise<object>;
  readonly journal: (id: string) => Promise<JournalRow[]>;
  readonly replay: (id: string) => Promise<object>;
  readonly step: (id: string, event: unknown) => Promise<object>;
  readonly due: () => Promise<object[]>;
  readonly store: ReadableStore;
  readonly help: () => string;
}

interface ReadableStore {
  readonly actors: Pick<Store['actors'], 'load' | 'find' | 'count' | 'earliestWake'>;
  readonly records: Pick<Store['records'], 'get' | 'find' | 'count'>;
}

/** The commands on one store. Each throws a ScriptError for an unknown id. */
export function commandsOn(store: Store, clock: () => Date): Commands {
  const actor = (id: string) => loadActor(store, paymentIdOf(String(id)));
  return {
    load: (id) => load(store, id),
    journal: async (id) => journalOf(store, await actor(id)),
    replay: async (id) => {
      const { problem, ...about } = await replayStored(store, MACHINES, await actor(id));
      return { ...about, problem: problem?.message ?? null };
    },
    step: async (id, event) => stepOf(MACHINES, await actor(id), event, clock()),
    due: async () => {
      const now = clock();
      const found = await Promise.all(actorKind.options.map((kind) => dueActors(store, kind, now, DUE_MAX)));
      const events = await dueEvents(store, now, DUE_MAX);
      return [
        ...found.flatMap(({ docs }) => docs).map(({ _id: id, kind, value, wakeAt }) => ({ id, kind, value, wakeAt })),
        ...events.map(({ _id, status, wakeAt }) => ({
          id: deliveryIdOf(_id),
          kind: 'delivery',
          value: status,
          wakeAt,
        })),
      ];
    },
    store: readable(store),
    help: () => HELP,
  };
}

async function load(store: Store, spelling: string): Promise<object> {
  const given = paymentIdOf(String(spelling));
  const id = prefixOf(given) === 'dlv' ? eventOfDelivery(given) : given;
  const collection = RECORDS[prefixOf(id)];
  if (collection === undefined) return loadActor(store, id);
  const [doc] = await store.records.get(collection, [id]);
  if (!doc) throw new ScriptError(`There is no ${id}`);
  return doc;
}

async function loadActor(store: Store, id: string): Promise<StoredActor> {
  const kind = ACTORS[prefixOf(id)];
  if (kind === undefined) {
    const known = Object.keys(prefixOf(id) in RECORDS ? ACTORS : { ...ACTORS, ...RECORDS });
    throw new ScriptError(`${id}: expected ${known.map((prefix) => `${prefix}_…`).join(', ')}`);
  }
  const [doc] = await store.actors.load(kind, [id]);
  if (!doc) throw new ScriptError(`There is no ${id}`);
  return doc;
}

function prefixOf(id: string): string {
  return id.slice(0, Math.max(0, id.indexOf('_')));
}

/** The result of one event on a document, in memory. */
function stepOf(machines: Machines, doc: StoredActor, event: unknown, now: Date): object {
  const read = reported.safeParse(event);
  if (!read.success) throw new ScriptError("expected an event such as {type: 'resume.requested'}, its now in ISO 8601");
  const { now: at, ...incoming } = read.data;
  const taking = {
    now: at === undefined ? now : new Date(Date.parse(at) - doc.clockOffsetMs),
    admits: () => true,
    writes: {},
  };
  return outcomeOf(doc, advance(machines, doc, { event: incoming, by: 'repl', sender: null }, taking));
}

function outcomeOf(before: ActorDoc, advanced: Advance): object {
  if (advanced.outcome !== 'taken') return { ...advanced, state: before.value };
  const { doc, effects } = advanced;
  return {
    outcome: 'taken',
    from: before.value,
    to: doc.value,
    version: doc.machineVersion,
    changes: changesOf(before, doc),
    effects,
  };
}

/** The fields of the context that the event changes, with their new values. */
function changesOf(before: ActorDoc, after: ActorDoc): object {
  const changed = Object.entries(after.context).filter(([name, value]) => {
    const was = before.context[name];
    return was === undefined || canonical(was) !== canonical(value);
  });
  return Object.fromEntries(changed);
}

function readable({ actors, records }: Store): ReadableStore {
  return {
    actors: {
      load: (...args) => actors.load(...args),
      find: (...args) => actors.find(...args),
      count: (...args) => actors.count(...args),
      earliestWake: (...args) => actors.earliestWake(...args),
    },
    records: {
      get: (...args) => records.get(...args),
      find: (...args) => records.find(...args),
      count: (...args) => records.count(...args),
    },
  };
}
