import fc from 'fast-check';
import type { WebhookEvent } from 'tideline/client';
import { Feed, type PageQuery } from '../../packages/cli/src/webhooks/feed.ts';

const START = Date.parse('2026-03-01T12:00:00.000Z');

/** A log that grows while it is read, on a clock that a test moves. */
class TestLog {
  readonly events: WebhookEvent[] = [];
  readonly asked: PageQuery[] = [];
  now = START;
  #made = 0;

  /** Logged now; it happened `agoMs` before. */
  add(agoMs = 0, sequence = 1): string {
    this.#made += 1;
    const id = `evt_${String(this.#made).padStart(26, '0')}`;
    this.events.push({
      id,
      event: 'customer.deleted',
      createdAt: new Date(this.now - agoMs).toISOString(),
      isSandbox: true,
      data: { customerId: `cust_${this.#made}` },
      sequence,
    });
    return id;
  }

  readonly read = async (query: PageQuery): Promise<readonly WebhookEvent[]> => {
    this.asked.push(query);
    const newestFirst = this.events.toSorted((one, other) => {
      const byTime = Date.parse(other.createdAt) - Date.parse(one.createdAt);
      return byTime || (one.id < other.id ? 1 : -1);
    });
    return newestFirst.slice(query.start, query.start + query.limit);
  };
}

function feedOn(log: TestLog): Feed {
  return new Feed(log.read, () => log.now);
}

async function idsOf(feed: Feed): Promise<string[]> {
  return (await feed.next()).map(({ id }) => id);
}

function many(log: TestLog, count: number): string[] {
  return Array.from({ length: count }, () => {
    log.now += 10;
    return log.add();
  });
}

describe('the feed of a listener', () => {
  it('returns nothing of the old events, however many, and every new one', async () => {
    const log = new TestLog();
    many(log, 250);
    const feed = feedOn(log);
    await feed.open();
    expect(await idsOf(feed)).toEqual([]);
    const came = many(log, 3);
    expect(await idsOf(feed)).toEqual(came);
    expect(await idsOf(feed)).toEqual([]);
  });

  it('waits for an event that is not among the newest known ones', async () => {
    const log = new TestLog();
    const feed = feedOn(log);
    await feed.open();
    await feed.next();
    const ids = many(log, 25).toReversed();
    await feed.next();
    await feed.next();
    expect(log.asked.map(({ wait, known }) => [wait, known])).toEqual([
      [undefined, undefined],
      [25, 'none'],
      [25, 'none'],
      [25, ids.slice(0, 20).join()],
    ]);
  });

  it('returns the events of one burst in the order in which they happened, whatever the pages', async () => {
    const log = new TestLog();
    many(log, 150);
    const feed = feedOn(log);
    await feed.open();
    const came = many(log, 450);
    expect(await idsOf(feed)).toEqual(came);
    expect(await idsOf(feed)).toEqual([]);
  });

  it('returns events of the same moment in the order of their numbers', async () => {
    const log = new TestLog();
    const feed = feedOn(log);
    await feed.open();
    const [third, first, second] = [log.add(0, 3), log.add(0, 1), log.add(0, 2)];
    expect(await idsOf(feed)).toEqual([first, second, third]);
  });

  it('returns events that are logged behind newer ones, a minute later if they are far behind', async () => {
    const log = new TestLog();
    const feed = feedOn(log);
    await feed.open();
    many(log, 200);
    await feed.next();
    const near = log.add(100);
    expect(await idsOf(feed)).toEqual([near]);
    const far = log.add(1_500);
    expect(await idsOf(feed)).toEqual([]);
    log.now += 60_000;
    expect(await idsOf(feed)).toEqual([far]);
  });

  it('loses nothing if a read fails in the middle', async () => {
    const log = new TestLog();
    let isFailing = false;
    const feed = new Feed(
      async (query) => {
        if (isFailing && query.start > 0) throw new Error('the connection is lost');
        return log.read(query);
      },
      () => log.now,
    );
    await feed.open();
    const came = many(log, 150);
    isFailing = true;
    await expect(feed.next()).rejects.toThrow('the connection is lost');
    isFailing = false;
    expect(await idsOf(feed)).toEqual(came);
  });

  it('returns every event once, whenever it is logged and read', async () => {
    const step = fc.record({
      pauseMs: fc.integer({ min: 0, max: 30_000 }),
      logged: fc.array(fc.integer({ min: 0, max: 240_000 }), { maxLength: 60 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.nat(300), fc.array(step, { maxLength: 40 }), async (before, steps) => {
        const log = new TestLog();
        many(log, before);
        const feed = feedOn(log);
        await feed.open();
        const opened = log.now;
        const came: string[] = [];
        const reported: string[] = [];
        for (const { pauseMs, logged } of steps) {
          log.now += pauseMs;
          for (const agoMs of logged) came.push(log.add(Math.min(agoMs, log.now - opened)));
          reported.push(...(await idsOf(feed)));
        }
        log.now += 60_000;
        reported.push(...(await idsOf(feed)));
        expect(reported.toSorted()).toEqual(came.toSorted());
      }),
      { numRuns: 60 },
    );
  });
});
