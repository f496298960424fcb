import { Ammunition } from '../../../tools/crashtest/ammunition.ts';

it('lasts for its number of kills, whoever makes them, and for any number of other strikes', () => {
  const reported: number[] = [];
  const ammunition = new Ammunition(3, ({ strikes }) => reported.push(strikes));
  expect(ammunition.take()).toBe(true);
  ammunition.note('kill');
  ammunition.note('pause');
  ammunition.note('point', false);
  ammunition.note('chain');
  expect([ammunition.used, ammunition.isSpent]).toEqual([2, false]);
  expect(ammunition.take()).toBe(true);
  ammunition.note('database');
  expect([ammunition.isSpent, ammunition.take()]).toEqual([true, false]);
  expect([ammunition.kills, ammunition.strikes, reported]).toEqual([3, 5, [1, 2, 3, 4, 5]]);
  expect(ammunition.tally).toBe('1 killed, 1 killed at a point, 1 paused, 1 of the database, 1 of the chain');
});
