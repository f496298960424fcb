import { deliveryContext } from '../../machines/delivery/context.ts';
import { MACHINES } from '../../machines/versions.ts';
import { newestState } from '../engine/upcast.ts';
import type { Log } from '../observability/log.ts';
import type { EventDoc, WebhookSettings } from '../store/collections.ts';
import type { ActorDoc, Mode } from '../store/documents.ts';
import type { Store } from '../store/port.ts';
import type { First } from './firsts.ts';
import type { Fresh } from './fresh.ts';
import type { RecentSettings } from './recent-settings.ts';

/** One attempt that has been asked for. `rev`: the delivery's revision that asked for it. */
export interface SendTask {
  readonly id: string;
  readonly merchantId: string;
  readonly mode: Mode;
  readonly attempt: number;
  readonly rev: number;
  /** It is the first of a delivery that is not stored yet. */
  readonly first?: First;
}

/** Everything that one attempt needs, as it stands just before it. */
export interface Attempt {
  readonly task: SendTask;
  /** null: it is not stored yet. */
  readonly doc: ActorDoc | null;
  readonly event: EventDoc;
  /** null: the merchant does not exist. */
  readonly settings: WebhookSettings | null;
}

export interface AttemptReaderDeps {
  readonly store: Pick<Store, 'actors' | 'records'>;
  readonly fresh: Fresh;
  readonly settings: Pick<RecentSettings, 'read' | 'since'>;
  readonly clock: () => Date;
  readonly log: Log;
}

/**
 * What a task needs, where this process knows it all: a first attempt goes by what its merchant had set when its event was in
 * the log already, a moment ago. null: it is to be read.
 */
export function attemptAtHand({ settings }: Pick<AttemptReaderDeps, 'settings'>, task: SendTask): Attempt | null {
  const { first } = task;
  const recent = first ? settings.since(task.merchantId, first.loggedBy) : null;
  return first && recent ? { task, doc: null, event: first.event, settings: recent } : null;
}

/**
 * Reads what the tasks need, in three reads for all of them at most: what this process has just written or read it knows. Left
 * out are those that are not wanted any more: the delivery has moved on, somebody has asked for the attempt again, or its lease
 * is over and somebody will.
 */
export async function readAttempts(deps: AttemptReaderDeps, tasks: readonly SendTask[]): Promise<Attempt[]> {
  const { actors, records } = deps.store;
  const stored = tasks.filter(({ first }) => !first);
  const known = stored.flatMap(({ id, rev }) => deps.fresh.take(id, rev) ?? []);
  const knownIds = new Set(known.map(({ _id }) => _id));
  const unknown = stored.filter(({ id }) => !knownIds.has(id));
  const [read, settings] = await Promise.all([
    actors.load(
      'delivery',
      idsOf(unknown, ({ id }) => id),
    ),
    deps.settings.read(idsOf(tasks, ({ merchantId }) => merchantId)),
  ]);
  const settingsOf = (task: SendTask) => settings.get(task.merchantId) ?? null;
  const docOf = new Map([...known, ...read].map((doc) => [doc._id, doc]));
  const wanted = stored.flatMap((task) => {
    const doc = docOf.get(task.id);
    const context =
      doc && isWanted(task, doc, deps.clock())
        ? deliveryContext.safeParse(newestState(MACHINES, doc).context).data
        : undefined;
    return doc && context ? [{ task, doc, eventId: context.eventId }] : [];
  });
  const logged = wanted.flatMap(({ eventId }) => deps.fresh.takeEvent(eventId) ?? []);
  const loggedIds = new Set(logged.map(({ _id }) => _id));
  const events = await records.get(
    'events',
    idsOf(wanted, ({ eventId }) => eventId).filter((id) => !loggedIds.has(id)),
  );
  const eventOf = new Map([...logged, ...events].map((event) => [event._id, event]));
  const firsts = tasks.flatMap((task) =>
    task.first ? [{ task, doc: null, event: task.first.event, settings: settingsOf(task) }] : [],
  );
  const others = wanted.flatMap(({ task, doc, eventId }) => {
    const event = eventOf.get(eventId);
    if (event) return [{ task, doc, event, settings: settingsOf(task) }];
    deps.log.error({ actor: doc._id, event: eventId }, 'a delivery has no event');
    return [];
  });
  return [...firsts, ...others];
}

/** The delivery still waits for the very attempt that was asked for, and its lease runs. */
function isWanted(task: SendTask, doc: ActorDoc, now: Date): boolean {
  return (
    doc.rev === task.rev &&
    doc.status === 'sending' &&
    doc.quarantine === null &&
    doc.wakeAt !== null &&
    doc.wakeAt > now
  );
}

function idsOf<T>(list: readonly T[], idOf: (item: T) => string): string[] {
  return [...new Set(list.map(idOf))];
}
