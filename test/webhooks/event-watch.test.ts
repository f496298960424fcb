import { type EventList, EventWatch } from '../../src/webhooks/event-watch.ts';
import { until } from '../../stage/until.ts';
import { event } from '../store/support/documents.ts';

const LIST: EventList = { merchantId: 'mrc_1', mode: 'test', event: null };
const LONG_MS = 20_000;

const EVENT = { merchantId: 'mrc_1', mode: 'test', event: 'customer.created' } as const;

/** A watch over the lists of `newest`, and the number of reads. */
function watching(newest: () => readonly string[] = () => [], checkMs = 5) {
  const checks: string[] = [];
  const watch = new EventWatch({
    newest: async ({ merchantId, mode, event }) => {
      checks.push(`${merchantId} ${mode} ${event}`);
      return newest();
    },
    checkMs,
  });
  return { watch, checks };
}

describe('waiting for an event', () => {
  it('ends when this process logs one, even before the wait starts', async () => {
    const { watch, checks } = watching(() => [], LONG_MS);
    const early = watch.open(LIST);
    watch.stored(event(EVENT));
    await early.arrival([], LONG_MS);
    early.close();
    const late = watch.open(LIST);
    const arrived = late.arrival([], LONG_MS);
    watch.stored(event(EVENT));
    await arrived;
    late.close();
    expect(checks).toEqual([]);
  });

  it.each([
    ['another merchant', { merchantId: 'mrc_2' }],
    ['the other environment', { mode: 'live' }],
    ['another kind', { event: 'customer.deleted' }],
  ] as const)('is not ended by an event of %s', async (_, change) => {
    const { watch } = watching(() => [], LONG_MS);
    const listener = watch.open({ ...LIST, event: 'customer.created' });
    let isOver = false;
    const arrived = listener.arrival([], LONG_MS).then(() => {
      isOver = true;
    });
    watch.stored(event({ ...EVENT, ...change }));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isOver).toBe(false);
    watch.stored(event(EVENT));
    await arrived;
    listener.close();
  });

  it('reads once for all who wait for the same list, and not at all without them', async () => {
    const stored: string[] = [];
    const { watch, checks } = watching(() => stored, 30);
    const others = watch.open({ ...LIST, mode: 'live' });
    const listeners = Array.from({ length: 50 }, () => watch.open(LIST));
    const arrived = Promise.all(listeners.map((listener) => listener.arrival([], LONG_MS)));
    await until(
      'it has checked',
      () => checks,
      (made) => made.includes('mrc_1 test null'),
    );
    stored.push('evt_1');
    await arrived;
    expect(checks.filter((check) => check === 'mrc_1 test null').length).toBeLessThan(10);
    for (const listener of [others, ...listeners]) listener.close();
    const closed = () => checks.filter((check) => check.startsWith('mrc_1')).length;
    const before = closed();
    const open = watch.open({ ...LIST, merchantId: 'mrc_2' });
    await until(
      'a list that is open has been checked three times',
      () => checks.filter((check) => check.startsWith('mrc_2')).length,
      (count) => count >= 3,
    );
    expect(closed()).toBe(before);
    open.close();
  });

  it('continues after a failed read', async () => {
    let isAway = true;
    const { watch, checks } = watching(() => {
      if (isAway) throw new Error('the database is away');
      return ['evt_1'];
    });
    const listener = watch.open(LIST);
    const arrived = listener.arrival([], LONG_MS);
    await until(
      'it has checked twice',
      () => checks.length,
      (count) => count >= 2,
    );
    isAway = false;
    await arrived;
    listener.close();
  });

  it('ends after its time, and for everybody when the process stops', async () => {
    const { watch } = watching(() => [], LONG_MS);
    const listener = watch.open(LIST);
    await listener.arrival([], 1);
    const arrived = listener.arrival([], LONG_MS);
    watch.interrupt();
    await arrived;
    listener.close();
    const afterwards = watch.open(LIST);
    await afterwards.arrival([], LONG_MS);
    afterwards.close();
  });
});
