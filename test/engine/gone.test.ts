import { Gone } from '../../src/engine/gone.ts';

describe('what is gone from its outbox', () => {
  it('is remembered while 10,000 others go, and forgotten after 20,000', () => {
    const gone = new Gone();
    gone.add('first');
    for (let i = 1; i <= 10_000; i += 1) gone.add(`other ${i}`);
    expect(gone.has('first')).toBe(true);
    for (let i = 10_001; i < 20_000; i += 1) gone.add(`other ${i}`);
    expect(gone.has('first')).toBe(false);
    expect(gone.has('other 10000')).toBe(true);
    expect(gone.has('other 19999')).toBe(true);
  });

  it('is never what was not added', () => {
    expect(new Gone().has('any')).toBe(false);
  });
});
