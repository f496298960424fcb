import { IdlePause } from '../../src/chains/loop.ts';

it('grows while nothing is found, up to a second, and starts again after a find', () => {
  const pause = new IdlePause(200);
  expect([pause.next(), pause.next(), pause.next(), pause.next(), pause.next()]).toEqual([200, 400, 800, 1_000, 1_000]);
  pause.reset();
  expect(pause.next()).toBe(200);
});

it('does not change if it is longer than that from the beginning', () => {
  const pause = new IdlePause(2_500);
  expect([pause.next(), pause.next()]).toEqual([2_500, 2_500]);
});
