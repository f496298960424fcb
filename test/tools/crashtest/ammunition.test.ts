import { Ammunition, isKill, PROCESSES_MOST, type Strike, tally } from '../../../tools/crashtest/ammunition.ts';

function opened(count: number) {
  const strikes: Strike[] = [];
  return { strikes, ammunition: new Ammunition(count, (strike) => strikes.push(strike)) };
}

it('lasts for its number of kills, whoever makes them, and for any number of other strikes', () => {
  const { ammunition, strikes } = opened(3);
  expect(ammunition.take()).toBe(true);
  ammunition.note({ kind: 'kill', process: 1, detail: null });
  ammunition.note({ kind: 'pause', process: 2, detail: 400 });
  ammunition.note({ kind: 'point', process: 2, detail: 'commit.before@1=kill' }, false);
  ammunition.note({ kind: 'chain', process: null, detail: 900 });
  expect([ammunition.used, ammunition.isSpent]).toEqual([2, false]);
  expect(ammunition.take()).toBe(true);
  ammunition.note({ kind: 'database', process: null, detail: 80 });
  expect([ammunition.isSpent, ammunition.take()]).toEqual([true, false]);
  expect(strikes.filter(isKill)).toHaveLength(3);
  expect(tally(strikes)).toBe('1 killed, 1 killed at a point, 1 paused, 1 of the database, 1 of the chain');
});

it('wants two and four processes in turn, and keeps the last ones at its end', () => {
  const { ammunition } = opened(75);
  const formations: number[] = [];
  while (ammunition.take()) formations.push(ammunition.processes);
  expect(new Set(formations)).toEqual(new Set([2, 4]));
  expect(PROCESSES_MOST).toBe(4);
  const changes = formations.filter((each, index) => each !== formations[index - 1]);
  expect(changes).toEqual([2, 4, 2]);
  expect([1, 2, 3, 4].map((number) => ammunition.isWanted(number))).toEqual([true, true, false, false]);
});
