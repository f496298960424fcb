import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';

const SCRIPT = fileURLToPath(new URL('support/print-periods.ts', import.meta.url));

/** With their local times at noon UTC of 1 July: different hours, and some of half an hour or three quarters. */
const ZONES = [
  ['UTC', 12],
  ['America/New_York', 8],
  ['Asia/Kolkata', 17],
  ['Pacific/Chatham', 0],
  ['Europe/London', 13],
  ['Australia/Lord_Howe', 22],
  ['Pacific/Kiritimati', 2],
] as const;

const printed = z.array(
  z.object({
    zone: z.string(),
    localNoon: z.number(),
    periods: z.array(
      z.tuple([z.object({ start: z.string(), end: z.string() }), z.tuple([z.number(), z.number(), z.number()])]),
    ),
  }),
);

it('every period is the same in every time zone of the process, to the millisecond', async () => {
  const zones = ZONES.map(([zone]) => zone);
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', SCRIPT, ...zones], {
    maxBuffer: 64 * 1_024 * 1_024,
  });
  const reported = printed.parse(JSON.parse(stdout));
  expect(reported.map(({ zone, localNoon }) => [zone, localNoon])).toEqual(ZONES);
  const [utc, ...others] = reported;
  for (const { zone, periods } of others) expect([zone, periods]).toEqual([zone, utc?.periods]);

  // Half open: a period contains its start and its last millisecond, but not its end.
  expect(utc?.periods.length).toBe(1_500);
  for (const [period, found] of utc?.periods ?? []) expect([period, found]).toEqual([period, [0, 0, 1]]);
});
