import { month } from '../../tools/bench/month.ts';
import type { Row } from '../../tools/bench/row.ts';

const COUNT = 40;

describe('`month` in small', () => {
  it('charges every subscription once, says so by the chain, and has all its figures', async () => {
    const steps: string[] = [];
    const found: Row[] = [];
    const rows = await month.run({
      size: 'quick',
      asked: COUNT,
      progress: { step: (text) => void steps.push(text), found: (row) => void found.push(row) },
      signal: new AbortController().signal,
    });
    expect(rows.filter(({ target }) => target !== null)).toMatchObject([
      { name: `charged on the chain by the Transfer logs, of ${COUNT} subscriptions`, value: COUNT, holds: true },
      { name: `charged twice, of ${COUNT} subscriptions`, value: 0, holds: true },
      { name: 'transfers that belong to none of them', value: 0, holds: true },
      { name: `settled in the database, of ${COUNT} subscriptions`, value: COUNT, holds: true },
    ]);
    expect(rows.filter(({ value }) => !Number.isFinite(value)).map(({ name }) => name)).toEqual([]);
    const figures = ['charges/s', 'MiB', 'bytes', 'documents', 'gas'];
    expect(figures.filter((unit) => !rows.some((row) => row.unit === unit && row.value > 0))).toEqual([]);
    expect(found.slice(-rows.length)).toEqual(rows);
    expect(steps.some((step) => step.includes(`${COUNT} of ${COUNT} charged`))).toBe(true);
  }, 120_000);

  it('ends at an interrupt, and leaves nothing behind', async () => {
    const interrupt = new AbortController();
    const run = month.run({
      size: 'quick',
      asked: COUNT,
      progress: {
        step: (text) => {
          if (text.includes('subscriptions written')) interrupt.abort(new Error('enough'));
        },
        found: () => undefined,
      },
      signal: interrupt.signal,
    });
    await expect(run).rejects.toThrow('enough');
  }, 120_000);
});
