import { type Check, LastCheck } from '../../src/chains/last-check.ts';

/** A check with scripted results, in order; the last one repeats. */
function checking(outcomes: readonly (Check<string> | Error)[], amissMs: number) {
  const asked: number[] = [];
  const check = async (): Promise<Check<string>> => {
    const outcome = outcomes[Math.min(asked.length, outcomes.length - 1)];
    asked.push(asked.length);
    if (outcome === undefined || outcome instanceof Error) throw outcome ?? new Error('no outcome');
    return outcome;
  };
  return { last: new LastCheck(check, amissMs), asked };
}

const WHOLE = { found: 'all', isWhole: true };
const AMISS = { found: 'some', isWhole: false };

describe('the last check', () => {
  it('is made once for all callers, and stays valid', async () => {
    const { last, asked } = checking([WHOLE], 0);
    expect(await Promise.all([last.get(), last.get()])).toEqual(['all', 'all']);
    expect(await last.get()).toBe('all');
    expect(asked).toHaveLength(1);
  });

  it('is made again after it is dropped', async () => {
    const { last, asked } = checking([WHOLE], 0);
    await last.get();
    last.forget();
    await last.get();
    expect(asked).toHaveLength(2);
  });

  it('is made again some time after a problem, and not before', async () => {
    const soon = checking([AMISS, WHOLE], 0);
    expect([await soon.last.get(), await soon.last.get(), await soon.last.get()]).toEqual(['some', 'all', 'all']);
    expect(soon.asked).toHaveLength(2);
    const later = checking([AMISS, WHOLE], 60_000);
    expect([await later.last.get(), await later.last.get()]).toEqual(['some', 'some']);
  });

  it('is made again after a failure', async () => {
    const { last } = checking([new Error('no answer'), WHOLE], 60_000);
    await expect(last.get()).rejects.toThrow('no answer');
    expect(await last.get()).toBe('all');
  });
});
