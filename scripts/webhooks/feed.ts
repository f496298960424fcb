import type { WebhookEvent } from 'tideline/client';

export interface PageQuery {
  readonly limit: number;
  readonly start: number;
  /** Seconds for which a further event is waited for. */
  readonly wait?: number;
  /** The newest events that are known, comma separated: nothing is waited for where another one is among the newest. */
  readonly known?: string;
}

/** Reads a page of the event log, newest first. */
export type ReadPage = (query: PageQuery) => Promise<readonly WebhookEvent[]>;

const PAGE = 100;
const WAIT_S = 25;

/** How many ids may be said to be known; and what is said where none is: no event is called so. */
const KNOWN = 20;
const NONE = 'none';

/**
 * Events can be logged behind newer ones, by a process that was held up, or after a crash: once a minute what is some
 * minutes old is searched again.
 */
const CHECK_BACK_MS = 300_000;
const REREAD_EVERY_MS = 60_000;

/** How many events are remembered, at least, however old. */
const REMEMBERED = 1_000;

/** What has come into an event log since it was opened: every event once, whatever happens to a read in between. */
export class Feed {
  readonly #read: ReadPage;
  readonly #clock: () => number;
  /** Ids of the events that have been seen → when they happened; in the order in which they were seen. */
  readonly #seen = new Map<string, number>();
  /** What happened then or before has been seen. */
  #floor = Number.NEGATIVE_INFINITY;
  #newest: WebhookEvent | null = null;
  /** The beginning of the log as it was last read. */
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
   * What has come since the last call, in the order in which it happened; waits for it, and may come back without. Where a
   * read fails nothing counts as having come: the next call has all of it.
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

  /** Whether what lies behind this event, in the log, has been seen. */
  #reaches(oldest: WebhookEvent, isRereading: boolean): boolean {
    const at = timeOf(oldest);
    if (at <= this.#floor) return true;
    if (isRereading) return this.#newest !== null && at < timeOf(this.#newest) - CHECK_BACK_MS;
    return !this.#isNew(oldest);
  }

  #isNew(event: WebhookEvent): boolean {
    return !this.#seen.has(event.id) && timeOf(event) > this.#floor;
  }

  /** `events`: newest first. */
  #note(events: readonly WebhookEvent[]): void {
    for (const event of events) {
      this.#seen.set(event.id, timeOf(event));
      if (this.#newest === null || byTime(event, this.#newest) > 0) this.#newest = event;
    }
    this.#forget();
  }

  /**
   * Forgets ids that are too old to be read again. From then on no event as old as the newest forgotten one counts as new.
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

/** Those of one moment in the order of their numbers. */
function byTime(one: WebhookEvent, other: WebhookEvent): number {
  return timeOf(one) - timeOf(other) || one.sequence - other.sequence;
}
