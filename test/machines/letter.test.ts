import { letterEvent, letterMachine } from '../../machines/letter.ts';
import { type EventOf, TestActor } from './support/actor.ts';
import { describeStateTable } from './support/state-table.ts';

const START = '2026-01-31T10:00:00.000Z';
const DUE = { type: 'letter.due' } as const;

function ended(attempt: number, outcome: 'sent' | 'refused' | 'failed'): EventOf<'letter'> {
  const record = { attempt, startedAt: START, durationMs: 12, status: null, error: null, body: null };
  return { type: 'attempt.ended', outcome, record };
}

class TestLetter extends TestActor<'letter'> {
  constructor() {
    super('letter', { wakeAt: START, attempt: 0, attempts: [], stop: null }, START);
  }

  get attempt(): number {
    return Number(this.state.context['attempt']);
  }

  /** At the time for which it waits. */
  due(): this {
    return this.at(String(this.state.context['wakeAt']));
  }

  begun(attempts = 1): this {
    this.due().send(DUE);
    for (let attempt = 1; attempt < attempts; attempt += 1) this.due().send(DUE);
    return this;
  }

  goes(event: EventOf<'letter'>): this {
    this.send(event);
    return this;
  }
}

describeStateTable({
  kind: 'letter',
  machine: letterMachine,
  eventTypes: letterEvent.options,
  events: ({ attempt }: TestLetter): Record<string, EventOf<'letter'>> => ({
    'letter.due': DUE,
    'attempt.ended, sent': ended(attempt || 1, 'sent'),
    'attempt.ended, refused': ended(attempt || 1, 'refused'),
    'attempt.ended, failed': ended(attempt || 1, 'failed'),
    'attempt.ended, another one': ended(attempt + 1, 'sent'),
    'resend.requested': { type: 'resend.requested' },
    'letter.stopped': { type: 'letter.stopped', attempt: attempt || 1, stop: 'merchant' },
    'letter.stopped, another attempt': { type: 'letter.stopped', attempt: attempt + 1, stop: 'merchant' },
  }),
  cases: {
    queued: () => new TestLetter(),
    'sending, the first attempt': () => new TestLetter().begun().due(),
    'sending, the ninth attempt': () => new TestLetter().begun(9).due(),
    sent: () => new TestLetter().begun().goes(ended(1, 'sent')),
    suppressed: () => new TestLetter().begun().goes(ended(1, 'refused')),
    failed: () => new TestLetter().begun(9).due().goes(DUE),
  },
});

it('is tried nine times within three days', () => {
  const letter = new TestLetter().begun();
  const minutes: number[] = [];
  for (let attempt = 1; attempt < 9; attempt += 1) {
    const from = Date.parse(letter.now);
    letter.goes(ended(attempt, 'failed')).due();
    minutes.push((Date.parse(letter.now) - from) / 60_000);
    letter.send(DUE);
  }
  expect(minutes).toEqual([1, 5, 30, 120, 360, 720, 1_440, 1_440]);
  expect(letter.goes(ended(9, 'failed')).stateName).toBe('failed');
});
