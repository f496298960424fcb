import { UsageError } from '../../../scripts/lib/script.ts';
import { BREAKAGES } from '../../../tools/simulate/breakages.ts';
import { readSimulateArguments } from '../../../tools/simulate/options.ts';
import { VirtualTime } from '../../../tools/simulate/time.ts';
import { firstViolations, outcomesOf, SEEDS_MS, seedsFrom } from './support/seeds.ts';

describe('a seed', () => {
  it(
    'is the same run to the last byte, whatever ran before it',
    async () => {
      const [alone, behind] = await Promise.all([outcomesOf([7]), outcomesOf([6, 7])]);
      expect(alone[0]).toEqual(behind[1]);
      expect(alone[0]?.hash).toMatch(/^[0-9a-f]{64}$/);
      expect(behind[0]?.hash).not.toBe(behind[1]?.hash);
    },
    SEEDS_MS,
  );
});

describe('a deliberate defect', () => {
  it.each(BREAKAGES)(
    '%s is found',
    async (breakage) => {
      expect(await firstViolations(seedsFrom(31, 20), breakage)).not.toEqual([]);
    },
    SEEDS_MS,
  );
});

describe('virtual time', () => {
  it('goes from one moment to the next, and late entries keep their order', async () => {
    const time = new VirtualTime(new Date(1_000), () => 0);
    const came: [string, number][] = [];
    const note = (name: string) => () => void came.push([name, time.now]);
    time.in(30, note('third'));
    time.in(10, note('first'));
    time.in(20, note('given up')).cancel();
    time.in(20, note('second'));
    expect(await time.step()).toBe(true);
    time.leapTo(5_000);
    while (await time.step());
    expect(came).toEqual([
      ['first', 1_010],
      ['second', 5_000],
      ['third', 5_000],
    ]);
  });

  it('continues only when everything that follows without waiting has happened', async () => {
    const time = new VirtualTime(new Date(0), () => 0);
    const came: string[] = [];
    time.in(1, async () => {
      for (let turn = 0; turn < 100; turn += 1) await null;
      came.push('what follows');
    });
    time.in(2, () => came.push('the next'));
    while (await time.step());
    expect(came).toEqual(['what follows', 'the next']);
  });
});

describe('the command line', () => {
  it('accepts one seed, or a number of seeds from one', () => {
    expect(readSimulateArguments(['--seed', '7', '--trace'])).toMatchObject({ seeds: [7], trace: true });
    expect(readSimulateArguments(['--seed', '7', '--seeds', '3'])).toMatchObject({ seeds: [7, 8, 9], breakage: null });
    expect(readSimulateArguments(['--broken', 'lost-write']).breakage).toBe('lost-write');
    expect(readSimulateArguments([]).hasSieges).toBe(true);
    expect(readSimulateArguments(['--no-siege']).hasSieges).toBe(false);
  });

  it.each([
    [['--seeds', '0']],
    [['--seed', 'x']],
    [['--trace', '--seeds', '2']],
    [['--broken', 'everything']],
    [['7']],
  ])('refuses %j', (argv) => {
    expect(() => readSimulateArguments(argv)).toThrow(UsageError);
  });
});
