import { deliveryContext } from '../../machines/delivery/context.ts';
import { MACHINES } from '../../machines/versions.ts';
import { newestState } from '../engine/upcast.ts';
import type { EventDoc, WebhookSettings } from '../store/collections.ts';
import type { StoredActor, Tenant } from '../store/documents.ts';
import type { FirstAttempt } from './first-attempts.ts';
import type { WebhookParts } from './parts.ts';

/** A requested attempt. `rev` is the delivery's revision that requested it. */
export interface SendTask extends Tenant {
  readonly id: string;
  readonly attempt: number;
  readonly rev: number;
  /** Set for the first attempt of a delivery that is not stored yet. */
  readonly first?: FirstAttempt;
}

/** Everything that an attempt needs, as of just before it. */
export interface Attempt {
  readonly task: SendTask;
  /** null: the delivery is not stored yet. */
  readonly doc: StoredActor | null;
  readonly event: EventDoc;
  /** null: the merchant does not exist. */
  readonly settings: WebhookSettings | null;
}

/**
 * The attempt of a task without any read; null if a read is needed. A first attempt may use its merchant's cached
 * settings, if they were read after its event was logged.
 */
export function attemptAtHand({ settings }: WebhookParts, task: SendTask): Attempt | null {
  const { first } = task;
  const recent = first ? settings.since(task.merchantId, first.loggedBy) : null;
  return first && recent ? { task, doc: null, event: first.event, settings: recent } : null;
}

/**
 * Reads the documents that the tasks need, in at most three reads for all of them; documents that this process has just
 * written or read come from its cache. Leaves out tasks that are out of date: the delivery has moved on, its attempt
 * was requested again, or its lease has expired and will request it again.
 */
export async function readAttempts(deps: WebhookParts, tasks: readonly SendTask[]): Promise<Attempt[]> {
  const { actors, records } = deps.store;
  const stored = tasks.filter(({ first }) => !first);
  const known = stored.flatMap(({ id, rev }) => deps.cache.take(id, rev) ?? []);
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
  const logged = wanted.flatMap(({ eventId }) => deps.cache.takeEvent(eventId) ?? []);
  const loggedIds = new Set(logged.map(({ _id }) => _id));
  const events = await records.get(
    'events',
    idsOf(wanted, ({ eventId }) => eventId).filter((id) => !loggedIds.has(id)),
  );
  const eventOf = new Map([...logged, ...events].map((event) => [event._id, event]));
  const firstAttempts = tasks.flatMap((task) =>
    task.first ? [{ task, doc: null, event: task.first.event, settings: settingsOf(task) }] : [],
  );
  const others = wanted.flatMap(({ task, doc, eventId }) => {
    const event = eventOf.get(eventId);
    if (event) return [{ task, doc, event, settings: settingsOf(task) }];
    deps.log.error(
      { actor: doc._id, event: eventId },
      'the event of a delivery is not in the log; the attempt is not made',
    );
    return [];
  });
  return [...firstAttempts, ...others];
}

/** True while the delivery waits for exactly this attempt and its lease has not expired. */
function isWanted(task: SendTask, doc: StoredActor, now: Date): boolean {
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
