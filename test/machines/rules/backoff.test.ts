import {
  deferredUntil,
  doubled,
  nextWebhookAttempt,
  pauseUntil,
  WEBHOOK_ATTEMPTS,
} from '../../../machines/rules/backoff.ts';

const NOW = '2026-12-31T23:59:30.000Z';

function secondsUntil(moment: string | null): number | null {
  return moment === null ? null : (Date.parse(moment) - Date.parse(NOW)) / 1_000;
}

describe('the pauses before a webhook is tried again', () => {
  it.each([
    [1, 1],
    [2, 5],
    [3, 30],
    [4, 120],
    [5, 360],
  ])('are %i minutes after attempt %i', (attempt, minutes) => {
    expect(secondsUntil(nextWebhookAttempt(attempt, NOW))).toBe(minutes * 60);
  });

  it('end with the sixth attempt', () => {
    expect(WEBHOOK_ATTEMPTS).toBe(6);
    expect(nextWebhookAttempt(6, NOW)).toBeNull();
    expect(nextWebhookAttempt(7, NOW)).toBeNull();
  });
});

describe('the pauses of an undeliverable cycle', () => {
  it('start with a minute, double, and stay at six hours', () => {
    const minutes = Array.from({ length: 12 }, (_, pauses) => (secondsUntil(pauseUntil(pauses, NOW)) ?? 0) / 60);
    expect(minutes).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360, 360]);
  });
});

describe('the pauses of a deferred attempt', () => {
  it('start with 15 seconds, double, and stay at an hour', () => {
    const seconds = Array.from({ length: 10 }, (_, times) => secondsUntil(deferredUntil(times, NOW)));
    expect(seconds).toEqual([15, 30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600]);
  });
});

describe('doubled', () => {
  it.each([30, 40, 41, 1_000, Number.MAX_SAFE_INTEGER])('never exceeds the limit, after %i times', (times) => {
    expect(doubled(500, times, 60_000)).toBe(60_000);
  });
});
