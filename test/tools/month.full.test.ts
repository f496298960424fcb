import { month } from '../../tools/bench/month.ts';
import type { Row } from '../../tools/bench/row.ts';
import { withWorld } from '../../tools/bench/world.ts';
import { quietRun } from './support/quiet-run.ts';

const COUNT = 200;
const CHAIN = { evm: true, isEvmLarge: true } as const;

describe('`month` in small', () => {
  it('charges three tenths once, fills the others alike, says so by the chain, and has all its figures', async () => {
    const steps: string[] = [];
    const found: Row[] = [];
    const run = quietRun({ step: (text) => void steps.push(text), found: (row) => void found.push(row) });
    const rows = await withWorld({ ...run, asked: COUNT }, CHAIN, month);
    expect(rows.filter(({ target }) => target !== null)).toMatchObject([
      { name: 'a filled cycle: documents and bytes, off a charged one', holds: true },
      { name: 'charged on the chain by the Transfer logs, of 60 subscriptions', value: 60, holds: true },
      { name: 'charged twice, of 60 subscriptions', value: 0, holds: true },
      { name: 'transfers that belong to none of them', value: 0, holds: true },
      { name: `settled in the database, of ${COUNT} subscriptions`, value: COUNT, holds: true },
    ]);
    expect(rows.filter(({ value }) => !Number.isFinite(value)).map(({ name }) => name)).toEqual([]);
    const figures = ['charges/s', 'MiB', 'bytes', 'documents', 'gas'];
    expect(figures.filter((unit) => !rows.some((row) => row.unit === unit && row.value > 0))).toEqual([]);
    expect(found.map(({ name }) => name)).toContain('month: tenth 10 of 10');
    expect(steps.some((step) => step.includes(`${COUNT} of ${COUNT} done`))).toBe(true);
  }, 120_000);

  it('ends at an interrupt, and leaves nothing behind', async () => {
    const interrupt = new AbortController();
    const step = (text: string) => {
      if (text.includes('subscriptions inserted')) interrupt.abort(new Error('enough'));
    };
    const run = { ...quietRun({ step }, interrupt.signal), asked: COUNT };
    await expect(withWorld(run, CHAIN, month)).rejects.toThrow('enough');
  }, 120_000);
});
