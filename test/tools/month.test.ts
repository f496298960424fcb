import { Course, type Sample } from '../../tools/bench/month/course.ts';
import { indexOfPrice, indexOfShare, priceOf } from '../../tools/bench/month/prices.ts';
import { growthRows } from '../../tools/bench/month/rows.ts';
import { scaleRows } from '../../tools/bench/month/scale.ts';
import { Tally, type Transfer } from '../../tools/bench/month/truth.ts';
import { counted, type Row } from '../../tools/bench/row.ts';

const ROUTER = `0x${'aa'.repeat(20)}`;
const RECEIVER = `0x${'bb'.repeat(20)}`;
const PAYERS = [`0x${'01'.repeat(20)}`, `0x${'02'.repeat(20)}`];
const FEE_BPS = 100;

function pull(index: number): Transfer {
  return { from: PAYERS[index % 2] ?? '', to: ROUTER, amount: priceOf(index) };
}

function payout(index: number): Transfer {
  return { from: ROUTER, to: RECEIVER, amount: (priceOf(index) * 99n) / 100n };
}

/** By name, the rows after these transfers. Three of ten subscriptions were charged. */
function judged(
  transfers: readonly Transfer[],
  settled = 10,
): Record<'charged' | 'twice' | 'strange' | 'settled', Row> {
  const tally = new Tally(10, { payers: PAYERS, router: ROUTER, feeBps: FEE_BPS }, RECEIVER);
  for (const transfer of transfers) tally.take(transfer);
  const none = counted('missing', '', Number.NaN);
  const [charged = none, twice = none, strange = none, inDatabase = none] = tally.rows(settled);
  return { charged, twice, strange, settled: inDatabase };
}

describe('the truth of `month`', () => {
  const all = [0, 1, 9].flatMap((index) => [pull(index), payout(index)]);

  it('is that every charged one was pulled and paid once, and its payment settled', () => {
    const rows = judged(all);
    expect(Object.values(rows).map(({ value, holds }) => [value, holds])).toEqual([
      [3, true],
      [0, true],
      [0, true],
      [10, true],
    ]);
  });

  it.each([
    ['a lost charge', all.slice(2), 'charged', 2],
    ['a charge that paid nobody', all.slice(0, -1), 'charged', 2],
    ['a second pull', [...all, pull(1)], 'twice', 1],
    ['a second payment', [...all, payout(1)], 'twice', 1],
    ["another payer's money", [...all, { ...pull(1), from: PAYERS[0] ?? '' }], 'strange', 1],
    ['a charge of a filled one', [...all, pull(2)], 'strange', 1],
    ['a price of no subscription', [...all, { ...pull(1), amount: priceOf(10) }], 'strange', 1],
    ['a share of no subscription', [...all, { ...payout(1), amount: payout(1).amount + 1n }], 'strange', 1],
    ['money of no charge', [...all, { ...payout(1), from: PAYERS[0] ?? '' }], 'strange', 1],
  ] as const)('does not hold with %s', (_, transfers, row, value) => {
    expect(judged(transfers)[row]).toMatchObject({ value, holds: false });
  });

  it.each([9, 11, -10])('does not hold with %d settled payments of 10', (settled) => {
    expect(judged(all, settled).settled.holds).toBe(false);
  });

  it('tells every subscription by its price and by the share', () => {
    for (const index of [0, 1, 99, 100, 999_999]) {
      expect(indexOfPrice(priceOf(index))).toBe(index);
      expect(indexOfShare(payout(index).amount, FEE_BPS)).toBe(index);
    }
    expect([indexOfPrice(priceOf(0) - 1n), indexOfPrice(priceOf(0) - 100n), indexOfPrice(priceOf(5) + 1n)]).toEqual([
      null,
      null,
      null,
    ]);
  });
});

describe('the course of `month`', () => {
  const each = (value: number) => ({ service: value, database: value * 2, node: value * 3 });
  const sampleAt = (done: number): Sample => ({ mib: each(100 + done), cpuMs: each(done * 4), files: done });

  /** 1,000 charges in steps of `by`; each takes the milliseconds of `msAt`. */
  function course(by: number, msAt: (done: number) => number): Course {
    const made = new Course(1_000, { ms: 0, done: 0, sample: sampleAt(0) });
    let ms = 0;
    for (let done = by; done <= 1_000; done += by) {
      ms += by * msAt(done);
      if (made.check(done, 0.5)) made.sample({ ms, done, sample: sampleAt(done) });
    }
    return made;
  }

  it('has the pace, the memory and the processor time of each tenth', () => {
    const made = course(5, (done) => (done > 900 ? 20 : 10));
    expect(made.tenth(1)).toMatchObject({ perSecond: 100, cpuMsPerCharge: each(4) });
    expect(made.tenth(1).yardsticksPerCharge).toBe((4 + 8) / 0.5);
    expect(made.tenth(1).mib).toEqual({ service: 155, database: 310, node: 465 });
    expect(made.tenth(10)).toMatchObject({ perSecond: 50 });
  });

  it('counts every pause, because charges end in the rhythm of blocks', () => {
    expect(course(10, (done) => (done % 50 === 0 ? 50 : 0)).tenth(10).perSecond).toBe(100);
  });

  it('has figures even if whole tenths pass between two checks', () => {
    const made = course(500, () => 10);
    expect([made.tenth(1).perSecond, made.tenth(3).perSecond, made.tenth(10).perSecond]).toEqual([100, 100, 100]);
  });

  it('leaves out what nobody watched, and misses its target if a charge of the last tenth costs more', () => {
    const made = new Course(1_000, { ms: 0, done: 0, sample: sampleAt(0) });
    const take = (done: number, cost = done) =>
      made.check(done, 0.5) && made.sample({ ms: done * 10, done, sample: sampleAt(cost) });
    take(100);
    take(200);
    made.check(500, 9);
    made.skip({ ms: 9_000, done: 900, sample: sampleAt(900) });
    take(1_000, 1_020);
    expect(made.tenth(10)).toMatchObject({ perSecond: 100, yardsticksPerCharge: 28.8 });
    const row = (count: number) => growthRows(made, count).find(({ name }) => name.includes('by the yardstick'));
    expect(row(20_000)).toMatchObject({ ratio: expect.closeTo(1.2), holds: false, target: { atMost: 1.1 } });
    expect(row(1_000)).toMatchObject({ holds: true, target: null });
  });
});

it('the arithmetic for many cycles says how long each part takes, and what it leaves', () => {
  const rows = scaleRows({ gas: 72_000, serviceMs: 3.6, databaseMs: 1.8, oplog: 20_000, kept: 8_000, archived: 2_000 });
  const figures = rows.slice(0, rows.length / 2).map(({ unit, value }) => [unit, Number(value.toFixed(2))]);
  // A tenth of Base is 20 million gas a second, so 278 cycles.
  expect(figures).toEqual([
    ['hours', 10],
    ['hours', 88.89],
    ['hours', 400],
    ['hours', 6.94],
    ['hours', 41.67],
    ['hours', 10],
    ['hours', 5],
    ['hours', 4.34],
    ['GB', 200],
    ['GB', 80],
    ['GB', 20],
  ]);
  expect(rows.at(-1)).toMatchObject({ name: expect.stringContaining('100,000,000'), value: 200 });
});
