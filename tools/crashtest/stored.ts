import type { Store } from '../../src/store/port.ts';
import { allOf, quarantinedIn, unrelayedIn } from '../lib/stored.ts';

/** The parts of the database that the verdict checks. */
export interface Stored {
  /** The ids of all webhook events in the log. */
  readonly events: ReadonlySet<string>;
  /** Documents with pending effects. */
  readonly unrelayed: readonly string[];
  readonly quarantined: readonly { readonly id: string; readonly reason: string }[];
  /** Deliveries without a 2xx answer. */
  readonly undelivered: readonly string[];
  /** Ids of events whose first attempt failed. Later events of the resource did not wait for the next attempt. */
  readonly retried: ReadonlySet<string>;
}

/** Reads the current state. A running service may change it at the same time. */
export async function readStored(store: Store): Promise<Stored> {
  const [all, unrelayed, quarantined] = await Promise.all([
    allOf(store, 'events'),
    unrelayedIn(store),
    quarantinedIn(store),
  ]);
  return {
    events: new Set(all.map(({ _id }) => _id)),
    unrelayed: unrelayed.map(({ _id }) => _id),
    quarantined,
    undelivered: all.flatMap(({ _id, status }) => (status === 'delivered' ? [] : _id)),
    retried: new Set(all.flatMap(({ _id, attempt }) => (attempt > 1 ? _id : []))),
  };
}
