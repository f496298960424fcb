import type { EventDoc, WebhookSettings } from '../store/collections.ts';
import type { Tenant } from '../store/documents.ts';
import type { FirstAttempt } from './first-attempts.ts';
import type { WebhookParts } from './parts.ts';

/** A requested attempt of a delivery. */
export interface SendTask extends Tenant {
  readonly id: string;
  readonly attempt: number;
  /** The revision of the event that requested it. */
  readonly rev: number;
  /** The event as of `rev`; null: it is read before the attempt. */
  readonly event: EventDoc | null;
  /** Set for a first attempt whose event is not stored yet. */
  readonly first?: FirstAttempt;
}

/** Everything that an attempt needs, as of just before it. */
export interface Attempt {
  readonly task: SendTask;
  readonly event: EventDoc;
  /** null: the merchant does not exist. */
  readonly settings: WebhookSettings | null;
}

export function taskOf(event: EventDoc): SendTask {
  const { _id: id, merchantId, mode, attempt, rev } = event;
  return { id, merchantId, mode, attempt, rev, event };
}

/** The attempt of a task without a read; null: one is needed. First attempts may use newer settings. */
export function attemptAtHand({ settings }: WebhookParts, task: SendTask): Attempt | null {
  const { first, event } = task;
  const recent = first ? settings.since(task.merchantId, first.begunAt) : null;
  return event && recent ? { task, event, settings: recent } : null;
}

/**
 * Reads the documents that the tasks need, in at most two reads for all of them. Leaves out tasks that are out of date:
 * the delivery has moved on, its attempt was requested again, or its lease has expired and will request it again.
 */
export async function readAttempts(
  { store, settings, clock }: WebhookParts,
  tasks: readonly SendTask[],
): Promise<Attempt[]> {
  const unread = tasks.flatMap(({ id, event }) => (event === null ? [id] : []));
  const [read, own] = await Promise.all([
    store.records.get('events', unread),
    settings.read([...new Set(tasks.map(({ merchantId }) => merchantId))]),
  ]);
  const stored = new Map(read.map((event) => [event._id, event]));
  const now = clock();
  return tasks.flatMap((task) => {
    const event = task.event ?? stored.get(task.id);
    if (!event || !(task.first || isWanted(task, event, now))) return [];
    return [{ task, event, settings: own.get(task.merchantId) ?? null }];
  });
}

/** True while the delivery waits for exactly this attempt and its lease has not expired. */
function isWanted({ rev }: SendTask, event: EventDoc, now: Date): boolean {
  const { status, quarantine, wakeAt } = event;
  return event.rev === rev && status === 'sending' && quarantine === null && wakeAt !== null && wakeAt > now;
}
