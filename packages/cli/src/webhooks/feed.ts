import type { WebhookEvent } from 'tideline/client';

export interface PageQuery {
  readonly limit: number;
  readonly start: number;
  /** How long to wait for another event, seconds. */
  readonly wait?: number;
  /** The newest known events, comma separated: if another one is among the newest, the call does not wait. */
  readonly known?: string;
}

/** Reads a page of the event log, newest first. */
export type ReadPage = (query: PageQuery) => Promise<readonly WebhookEvent[]>;

const PAGE = 100;
const WAIT_S = 25;

/** The most ids in `known`, and a value that no event has, for an empty list. */
const KNOWN = 20;
const NONE = 'none';

/**
 * A delayed process, or a crash, can log events behind newer ones. So once a minute, events up to some minutes old are
 * read again.
 */
const CHECK_BACK_MS = 300_000;
const REREAD_EVERY_MS = 60_000;

/** At least this many events are kept, however old. */
const REMEMBERED = 1_000;

/** The new events of an event log since `open`. Each appears once, even if a read fails in between. */
export class Feed {
  readonly #read: ReadPage;
  readonly #clock: () => number;
  /** Ids of seen events → their times, in the order of reading. */
  readonly #seen = new Map<string, number>();
  /** All events of this time or earlier have been seen. */
  #floor = Number.NEGATIVE_INFINITY;
  #newest: WebhookEvent | null = null;
  /** The newest ids at the last read. */
  #known: readonly string[] = [];
  #rereadAt: number;

  constructor(read: ReadPage, clock: () => number) {
    this.#read = read;
    this.#clock = clock;
    this.#rereadAt = clock();
  }

  /** Reads the newest page. Its events count as known: `next` does not return them. */
  async open(): Promise<void> {
    const page = await this.#read({ limit: PAGE, start: 0 });
    this.#note(page);
    this.#known = idsOf(page);
    const oldest = page.at(-1);
    if (oldest && page.length === PAGE) this.#floor = timeOf(oldest);
  }

  /**
   * The new events since the last call, in order. It waits for them, but may return none. A failed read loses nothing:
   * the next call returns all.
   */
  async next(): Promise<readonly WebhookEvent[]> {
    const isRereading = this.#clock() - this.#rereadAt >= REREAD_EVERY_MS;
    const fresh = new Map<string, WebhookEvent>();
    let known = this.#known;
    for (let start = 0; ; start += PAGE) {
      const waiting = start === 0 ? { wait: WAIT_S, known: known.join() || NONE } : {};
      const page = await this.#read({ limit: PAGE, start, ...waiting });
      if (start === 0) known = idsOf(page);
      for (const event of page) if (this.#isNew(event)) fresh.set(event.id, event);
      const oldest = page.at(-1);
      if (!oldest || page.length < PAGE || this.#reaches(oldest, isRereading)) break;
    }
    const events = [...fresh.values()].sort(byTime);
    this.#note(events.toReversed());
    this.#known = known;
    if (isRereading) this.#rereadAt = this.#clock();
    return events;
  }

  /** True if everything older than this event in the log has been seen. */
  #reaches(oldest: WebhookEvent, isRereading: boolean): boolean {
    const at = timeOf(oldest);
    if (at <= this.#floor) return true;
    if (isRereading) return this.#newest !== null && at < timeOf(this.#newest) - CHECK_BACK_MS;
    return !this.#isNew(oldest);
  }

  #isNew(event: WebhookEvent): boolean {
    return !this.#seen.has(event.id) && timeOf(event) > this.#floor;
  }

  /** @param events newest first */
  #note(events: readonly WebhookEvent[]): void {
    for (const event of events) {
      this.#seen.set(event.id, timeOf(event));
      if (this.#newest === null || byTime(event, this.#newest) > 0) this.#newest = event;
    }
    this.#forget();
  }

  /**
   * Forgets ids that are too old to be read again. After that, events as old as the newest forgotten one never count as
   * new.
   */
  #forget(): void {
    const keepFrom = this.#newest === null ? 0 : timeOf(this.#newest) - 2 * CHECK_BACK_MS;
    for (const [id, at] of this.#seen) {
      if (this.#seen.size <= REMEMBERED) return;
      if (at >= keepFrom) continue;
      this.#seen.delete(id);
      this.#floor = Math.max(this.#floor, at);
    }
  }
}

function idsOf(page: readonly WebhookEvent[]): string[] {
  return page.slice(0, KNOWN).map(({ id }) => id);
}

function timeOf({ createdAt }: WebhookEvent): number {
  return Date.parse(createdAt);
}

/** By time, then by number. */
function byTime(one: WebhookEvent, other: WebhookEvent): number {
  return timeOf(one) - timeOf(other) || one.sequence - other.sequence;
}
