import { UsageError } from '../../scripts/lib/script.ts';
import { terminalOn } from '../../scripts/lib/terminal.ts';
import { BENCHES } from '../../tools/bench/benches.ts';
import { type Contest, hold } from '../../tools/bench/contest.ts';
import { originOf, pageWith } from '../../tools/bench/page.ts';
import { progressOn, showRows } from '../../tools/bench/print.ts';
import { counted, median, meets, type Row } from '../../tools/bench/row.ts';
import { readBenchOptions } from '../../tools/bench.ts';
import { quietRun } from './support/quiet-run.ts';

/** Two sides with scripted figures, and the order in which they were measured. */
function contestOf(products: readonly number[], baselines: readonly number[], change: Partial<Contest> = {}) {
  const asked: string[] = [];
  const saying = (name: string, figures: readonly number[]) => async () => {
    asked.push(name);
    return figures[asked.filter((each) => each === name).length - 1] ?? Number.NaN;
  };
  const contest: Contest = {
    name: 'a contest',
    unit: 'things/s',
    product: saying('product', products),
    baseline: saying('baseline', baselines),
    target: { atLeast: 0.5 },
    ...change,
  };
  return { contest, asked };
}

describe('a contest', () => {
  it('gives medians of rounds and of their ratios, without the warm-up round', async () => {
    const { contest } = contestOf([999, 10, 20, 30, 40, 500], [1, 20, 20, 20, 20, 1_000]);
    const steps: string[] = [];
    const found: Row[] = [];
    const run = quietRun({ step: (text) => void steps.push(text), found: (row) => void found.push(row) });
    const row = await hold(run, contest);
    expect(row).toEqual({
      name: 'a contest',
      unit: 'things/s',
      value: 30,
      baseline: 20,
      ratio: 1,
      spread: { low: 0.5, high: 2 },
      target: { atLeast: 0.5 },
      holds: true,
    });
    expect(found).toEqual([row]);
    expect(steps).toEqual(['a contest: warming up', ...[1, 2, 3, 4, 5].map((n) => `a contest: round ${n} of 5`)]);
  });

  it('lets both sides take turns, each first in every other round, and takes their means', async () => {
    const { contest, asked } = contestOf([0, ...Array(10).fill([2, 4]).flat()], [0, ...Array(20).fill(3)], {
      turns: 2,
    });
    const row = await hold(quietRun(), contest);
    expect(asked.slice(2, 6)).toEqual(['product', 'baseline', 'baseline', 'product']);
    expect(asked.slice(6, 10)).toEqual(asked.slice(2, 6));
    expect([row.value, row.baseline, row.ratio]).toEqual([3, 3, 1]);
  });

  it('does not hold if its median ratio misses the target, and has at least five rounds', async () => {
    const few = contestOf([0, 1, 1, 1, 9, 9], Array(6).fill(4));
    expect((await hold(quietRun(), few.contest)).holds).toBe(false);
    const { contest } = contestOf([], [], { rounds: 4 });
    await expect(hold(quietRun(), contest)).rejects.toThrow('4 rounds; at least 5');
  });

  it('ends on an interrupt', async () => {
    const { contest, asked } = contestOf([], []);
    const run = quietRun({}, AbortSignal.abort(new Error('enough')));
    await expect(hold(run, contest)).rejects.toThrow('enough');
    expect(asked).toEqual([]);
  });
});

const MISSED: Row = {
  name: 'GET /x',
  unit: 'requests/s',
  value: 1234.5678,
  baseline: 2000,
  ratio: 0.617_283_9,
  spread: { low: 0.5, high: 0.7 },
  target: { atLeast: 0.7 },
  holds: false,
};

describe('results', () => {
  it('are shown as a table that marks which targets hold', () => {
    const text: string[] = [];
    const terminal = terminalOn(
      { write: (part: string | Uint8Array) => text.push(String(part)) > 0, isTTY: false },
      '1',
    );
    progressOn(terminal).found(MISSED);
    showRows([MISSED, counted('POST /x', 'round trips', 3, { atMost: 3 }), counted('shown', 'things', 7)], terminal);
    const lines = text.join('').split('\n');
    expect(lines[0]).toContain('GET /x: 1235 requests/s, 0.62 of the baseline');
    expect(lines.find((line) => line.includes('GET /x  '))).toMatch(
      /✗ GET \/x .* 1235 +2000 +0\.62 +0\.50–0\.70 +>= 0\.7$/,
    );
    expect(lines.find((line) => line.includes('POST /x'))).toMatch(/^ ✓ .* 3 .*<= 3$/);
    expect(lines.find((line) => line.includes('shown'))).toMatch(/^ {3}shown/);
  });

  it('hold exactly at their target', () => {
    expect([meets(0.6, { atLeast: 0.6 }), meets(1.3, { atMost: 1.3 }), meets(1.31, { atMost: 1.3 })]).toEqual([
      true,
      true,
      false,
    ]);
    expect([median([3, 1, 2]), median([4, 1, 2, 3])]).toEqual([2, 2.5]);
    expect(() => median([])).toThrow('no values');
  });
});

describe('the page of results', () => {
  const order = ['first', 'second'];
  const section = (name: string, rows: readonly Row[]) => ({ name, about: 'what it is', origin: 'where it was', rows });

  it('has a section per benchmark in their order, each with its origin and its rows', () => {
    const found = [section('second', [counted('POST /x', 'calls', 3)]), section('first', [MISSED])];
    const page = pageWith('# Benchmarks\n\nRead them so.\n', found, order);
    expect(page).toMatch(/^# Benchmarks\n\nRead them so.\n\n## first\n/);
    expect(page.indexOf('## first\n\nWhat it is.\n\nwhere it was\n')).toBeGreaterThan(0);
    expect(page.indexOf('## first')).toBeLessThan(page.indexOf('## second'));
    const [narrow, lines] = [page.replaceAll(/ +/g, ' '), page.split('\n').filter((line) => line.startsWith('|'))];
    expect(narrow).toContain('| GET /x | requests/s | 1235 | 2000 | 0.62 | 0.50–0.70 | ≥ 0.7 | **no** |');
    expect(narrow).toContain('| POST /x | calls | 3 | | | | | |');
    expect(new Set(lines.slice(0, 3).map((line) => line.length)).size).toBe(1);
  });

  it("keeps the other sections, and people's notes below a table", () => {
    const before = pageWith('', [section('first', [MISSED]), section('second', [MISSED])], order);
    const explained = before.replace('\n\n## second', '\n\n| why |\n| --- |\n\nIt is missed because.\n\n## second');
    const after = pageWith(explained, [section('first', [{ ...MISSED, value: 7 }])], order);
    const narrow = after.replaceAll(/ +/g, ' ');
    expect(narrow).toContain('| GET /x | requests/s | 7 | 2000 |');
    expect(narrow).toContain('**no** |\n\n| why |\n| --- |\n\nIt is missed because.\n\n## second\n');
    expect(narrow).toContain('| GET /x | requests/s | 1235 |');
    expect(pageWith(after, [], order)).toBe(after);
  });
});

describe('npm run prove -- bench', () => {
  it('runs one benchmark or all of them, in full unless --quick is given', () => {
    expect(readBenchOptions([])).toEqual({ benches: BENCHES, size: 'full', asked: null, markdown: null });
    const [first] = readBenchOptions(['start', '--quick']).benches;
    expect(first?.name).toBe('start');
    expect(readBenchOptions(['start', '--quick'])).toMatchObject({ size: 'quick' });
    expect(readBenchOptions(['start', '--markdown', 'page.md']).markdown).toBe('page.md');
    expect(new Set(BENCHES.map(({ name }) => name)).size).toBe(BENCHES.length);
  });

  it('gives `month` any number of subscriptions, and puts it into the line of the page', () => {
    const commandOf = (argv: readonly string[]): string => {
      const options = readBenchOptions(argv);
      const [bench] = options.benches;
      if (!bench) throw new Error('no benchmark');
      return originOf(bench, options, 'a machine', new Date(0));
    };
    expect(readBenchOptions(['month', '--count', '40']).asked).toBe(40);
    expect(commandOf(['month', '--count', '40'])).toBe(
      '`npm run prove -- bench month --count 40`, 1970-01-01, a machine',
    );
    expect(commandOf(['month', '--full'])).toMatch(/ month --full`/);
    expect(commandOf(['month'])).toMatch(/ month`/);
    expect(commandOf(['start'])).toMatch(/ start --full`/);
  });

  it.each([
    [['nothing']],
    [['start', 'start']],
    [['--quick', '--full']],
    [['--slow']],
    [['start', '--count', '40']],
    [['month', '--count', '0']],
    [['month', '--count', '40', '--full']],
  ])('refuses %j', (argv) => {
    expect(() => readBenchOptions(argv)).toThrow(UsageError);
  });
});
