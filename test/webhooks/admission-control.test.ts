import type { EffectResult } from '../../src/engine/types.ts';
import type { Tenant } from '../../src/store/documents.ts';
import { AdmissionControl } from '../../src/webhooks/admission-control.ts';

interface Item {
  readonly source: Tenant;
  readonly number: number;
}

function queue(merchantId: string): Tenant {
  return { merchantId, mode: 'test' };
}

function itemsOf(name: string, count: number): Item[] {
  return Array.from({ length: count }, (_, number) => ({ source: queue(name), number }));
}

/** Counts admitted events until the test ends them. */
function paced(resultOf: (item: Item) => EffectResult = () => 'done') {
  const runs: Item[][] = [];
  const admission = new AdmissionControl<Item>(async (items) => {
    runs.push([...items]);
    for (const { source } of items) admission.begun(source);
    return items.map(resultOf);
  });
  const end = (name: string, count: number) => {
    for (let ended = 0; ended < count; ended += 1) admission.over(queue(name));
  };
  return { admission, runs, end };
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('the admission of events', () => {
  it('makes a full queue wait, in order, until it has room', async () => {
    const { admission, runs, end } = paced();
    await admission.admit(itemsOf('a', 350));
    const results = await admission.admit(itemsOf('a', 200));
    expect(runs.map(({ length }) => length)).toEqual([350]);
    end('a', 50);
    await turns();
    expect(runs).toHaveLength(1);
    end('a', 100);
    await turns();
    expect(runs.map(({ length }) => length)).toEqual([350, 192]);
    end('a', 200);
    await turns();
    expect(runs.map(({ length }) => length)).toEqual([350, 192, 8]);
    expect(runs.slice(1).flat()).toEqual(itemsOf('a', 200));
    const ends = results.map((result) => (typeof result === 'object' && 'later' in result ? result.later : result));
    expect(new Set(await Promise.all(ends))).toEqual(new Set(['done']));
  });

  it('never makes a queue wait for another: 99 continue beside one that is full and hangs', async () => {
    const { admission, runs } = paced();
    await admission.admit(itemsOf('hangs', 350));
    const names = Array.from({ length: 99 }, (_, index) => `queue${index}`);
    const mixed = names.flatMap((name) => [...itemsOf('hangs', 2), ...itemsOf(name, 1)]);
    const results = await admission.admit(mixed);
    expect(runs[1]?.map(({ source }) => source.merchantId)).toEqual(names);
    expect(results.filter((result) => result === 'done')).toHaveLength(99);
    admission.stop();
  });

  it('returns the results of waiting events, even if they end later', async () => {
    const { admission, end } = paced(({ number }) =>
      number % 2 === 0 ? { later: Promise.resolve('done') } : { held: 'no' },
    );
    await admission.admit(itemsOf('a', 350));
    const [even, odd] = await admission.admit(itemsOf('a', 2));
    end('a', 350);
    expect(typeof even === 'object' && 'later' in even && (await even.later)).toBe('done');
    expect(typeof odd === 'object' && 'later' in odd && (await odd.later)).toEqual({ held: 'no' });
  });

  it('leaves waiting events in the outbox when it stops', async () => {
    const { admission, runs } = paced();
    await admission.admit(itemsOf('a', 350));
    const [waits] = await admission.admit(itemsOf('a', 1));
    admission.stop();
    expect(typeof waits === 'object' && 'later' in waits && (await waits.later)).toMatchObject({
      held: expect.any(String),
    });
    expect(runs).toHaveLength(1);
  });
});
