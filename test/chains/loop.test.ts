import { Loop } from '../../src/chains/loop.ts';

const LONG_MS = 60_000;

class TestLoop extends Loop {
  protected override readonly run: () => Promise<number>;
  protected override readonly failed: (error: unknown, failures: number) => number;

  constructor(run: () => Promise<number>, failed: (error: unknown, failures: number) => number = () => LONG_MS) {
    super();
    this.run = run;
    this.failed = failed;
  }
}

describe('a loop', () => {
  const begun: number[] = [];
  let loop: Loop | undefined;

  afterEach(async () => {
    await loop?.stop();
    begun.length = 0;
  });

  /** Each run ends at once and requests the next of these pauses; after the last one a long one. */
  function started(pauses: readonly number[], onRun: (run: number) => void = () => {}): Promise<void> {
    return new Promise((resolve) => {
      loop = new TestLoop(async () => {
        begun.push(performance.now());
        onRun(begun.length);
        if (begun.length > pauses.length) resolve();
        return pauses[begun.length - 1] ?? LONG_MS;
      });
      loop.start();
    });
  }

  it('runs again when its pause is over', async () => {
    await started([1, 1]);
    expect(begun).toHaveLength(3);
  });

  it('runs at the time of its wake, even if a run before that found nothing', async () => {
    let wokenAt = 0;
    await started([10, LONG_MS], (run) => {
      if (run !== 1) return;
      wokenAt = performance.now();
      loop?.wake(40);
    });
    expect(begun).toHaveLength(3);
    // Clocks of timers and of the process differ by a millisecond; the run before was at 10.
    expect((begun[2] ?? 0) - wokenAt).toBeGreaterThanOrEqual(35);
  });

  it('runs once more if it was woken during a run', async () => {
    await started([LONG_MS], (run) => {
      if (run === 1) loop?.wake();
    });
    expect(begun).toHaveLength(2);
  });

  it('drops a wake from before its start if its first run is still to come', async () => {
    await new Promise<void>((resolve) => {
      loop = new TestLoop(async () => {
        if (begun.push(performance.now()) === 2) resolve();
        return 40;
      });
      loop.wake(10);
      loop.start();
    });
    expect((begun[1] ?? 0) - (begun[0] ?? 0)).toBeGreaterThanOrEqual(35);
  });

  it('continues after errors with the given pause, and counts consecutive ones', async () => {
    const failures: number[] = [];
    const outcomes = ['fails', 'fails', 'works', 'fails'];
    await new Promise<void>((resolve) => {
      const run = async (): Promise<number> => {
        const outcome = outcomes.shift();
        if (outcome === undefined) void failing.stop().then(resolve);
        if (outcome === 'fails') throw new Error('fails');
        return 0;
      };
      const failing = new TestLoop(run, (_, inARow) => {
        failures.push(inARow);
        return 1;
      });
      failing.start();
    });
    expect(failures).toEqual([1, 2, 1]);
  });
});
