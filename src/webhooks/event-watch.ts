import { setTimeout as delay } from 'node:timers/promises';
import type { EventDoc } from '../store/collections.ts';
import type { Tenant } from '../store/documents.ts';

/** How often a list with listeners is checked for events that other processes have logged, in milliseconds. */
const CHECK_MS = 1_000;

/** The most checks a process makes per second. With many lists, each is checked less often. */
const CHECKS_PER_SECOND = 200;

/** The events of a tenant: of one kind, or (null) of all. */
export interface EventList extends Tenant {
  readonly event: string | null;
}

/** Waits for further events of a list, from `open` until `close`. */
export interface EventListener {
  /** Resolves at an event that is not `known`, after `atMostMs`, or on `interrupt`. Never rejects. */
  arrival(known: readonly string[], atMostMs: number): Promise<void>;
  close(): void;
}

export interface EventWatchDeps {
  /** The ids of the newest events of a list, newest first, up to a limit. */
  readonly newest: (list: EventList) => Promise<readonly string[]>;
  /** For tests. */
  readonly checkMs?: number;
}

/**
 * Notifies the callers that wait for an event. It notices events of this process at once. For events of other processes
 * it polls the database, once for all callers that wait for the same list, and only while there are any.
 */
export class EventWatch {
  readonly #deps: EventWatchDeps;
  readonly #watched = new Map<string, Watched>();
  #isOver = false;

  constructor(deps: EventWatchDeps) {
    this.#deps = deps;
  }

  open(list: EventList): EventListener {
    const watched = this.#watchedFor(list);
    const listener: Listener = { wait: new AbortController(), known: null };
    watched.listeners.add(listener);
    if (this.#isOver) listener.wait.abort();
    return {
      arrival: async (known, atMostMs) => {
        listener.known = new Set(known);
        await delay(atMostMs, undefined, { signal: listener.wait.signal }).catch(() => {});
      },
      close: () => this.#remove(watched, listener),
    };
  }

  /** Notifies the listeners of an event that this process has just stored. */
  stored(event: EventDoc): void {
    for (const watched of this.#watched.values()) {
      if (isIn(watched.list, event)) for (const { wait } of watched.listeners) wait.abort();
    }
  }

  /** Ends all waits, present and future: the process is about to stop. */
  interrupt(): void {
    this.#isOver = true;
    for (const { listeners } of this.#watched.values()) for (const { wait } of listeners) wait.abort();
  }

  #watchedFor(list: EventList): Watched {
    const key = keyOf(list);
    const known = this.#watched.get(key);
    if (known) return known;
    const watched: Watched = { key, list, listeners: new Set(), timer: undefined };
    this.#watched.set(key, watched);
    this.#checkLater(watched);
    return watched;
  }

  #remove(watched: Watched, listener: Listener): void {
    watched.listeners.delete(listener);
    if (watched.listeners.size > 0) return;
    clearTimeout(watched.timer);
    this.#watched.delete(watched.key);
  }

  #checkLater(watched: Watched): void {
    const pauseMs = Math.max(this.#deps.checkMs ?? CHECK_MS, (this.#watched.size * 1_000) / CHECKS_PER_SECOND);
    watched.timer = setTimeout(() => void this.#check(watched), pauseMs);
  }

  async #check(watched: Watched): Promise<void> {
    // A database that does not answer is nothing new: whoever waits reads it again at the end, and fails then.
    const ids = await this.#deps.newest(watched.list).catch(() => []);
    for (const { known, wait } of watched.listeners) if (known && ids.some((id) => !known.has(id))) wait.abort();
    if (watched.listeners.size > 0) this.#checkLater(watched);
  }
}

interface Watched {
  readonly key: string;
  readonly list: EventList;
  readonly listeners: Set<Listener>;
  timer: NodeJS.Timeout | undefined;
}

interface Listener {
  /** Aborted: the wait is over. */
  readonly wait: AbortController;
  /** null: it does not wait yet. */
  known: ReadonlySet<string> | null;
}

function isIn({ merchantId, mode, event }: EventList, doc: EventDoc): boolean {
  return doc.merchantId === merchantId && doc.mode === mode && (event === null || doc.event === event);
}

function keyOf({ merchantId, mode, event }: EventList): string {
  return `${merchantId}:${mode}:${event ?? ''}`;
}
