import { Standstill } from '../../src/http/standstill.ts';

describe('a process that was suspended', () => {
  it('knows it at its next beat, and for the given time', () => {
    let now = 0;
    const standstill = new Standstill(() => now);
    for (; now < 10_000; now += 1_000) standstill.beat();
    expect(standstill.within(30_000)).toBe(false);
    now += 33_000;
    standstill.beat();
    for (let beats = 0; beats < 10; beats += 1) {
      now += 1_000;
      standstill.beat();
    }
    expect(standstill.within(30_000)).toBe(true);
    expect(standstill.within(5_000)).toBe(false);
  });

  it('knows it before its next beat', () => {
    let now = 0;
    const standstill = new Standstill(() => now);
    now = 33_000;
    expect(standstill.within(0)).toBe(true);
  });

  it('does not take a busy moment for a suspension', () => {
    let now = 0;
    const standstill = new Standstill(() => now);
    for (let beats = 0; beats < 10; beats += 1) {
      now += 4_000;
      standstill.beat();
    }
    expect(standstill.within(60_000)).toBe(false);
  });
});
