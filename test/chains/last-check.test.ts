import { type Check, LastCheck } from '../../src/chains/last-check.ts';

/** A check whose outcomes the test gives, in their order; the last one again and again. */
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
  it('is made once, however many ask, and holds', async () => {
    const { last, asked } = checking([WHOLE], 0);
    expect(await Promise.all([last.get(), last.get()])).toEqual(['all', 'all']);
    expect(await last.get()).toBe('all');
    expect(asked).toHaveLength(1);
  });

  it('is made again once it is forgotten', async () => {
    const { last, asked } = checking([WHOLE], 0);
    await last.get();
    last.forget();
    await last.get();
    expect(asked).toHaveLength(2);
  });

  it('is made again after a while where something was amiss, and not before', async () => {
    const soon = checking([AMISS, WHOLE], 0);
    expect([await soon.last.get(), await soon.last.get(), await soon.last.get()]).toEqual(['some', 'all', 'all']);
    expect(soon.asked).toHaveLength(2);
    const later = checking([AMISS, WHOLE], 60_000);
    expect([await later.last.get(), await later.last.get()]).toEqual(['some', 'some']);
  });

  it('is made again where it has failed', async () => {
    const { last } = checking([new Error('no answer'), WHOLE], 60_000);
    await expect(last.get()).rejects.toThrow('no answer');
    expect(await last.get()).toBe('all');
  });
});
