import fc from 'fast-check';
import { type Move, Pair } from './support/pair.ts';
import type { Word } from './support/payment.ts';

const words: readonly Word[] = ['started', 'mined', 'final', 'released', 'refused', 'undeliverable'];

const line = fc.nat({ max: 9 });

/** The moves that lead on; every message arrives once. */
const once: fc.Arbitrary<Move> = fc.oneof(
  { weight: 30, arbitrary: fc.record({ kind: fc.constant('deliver'), line }) },
  { weight: 25, arbitrary: fc.record({ kind: fc.constant('chain'), word: fc.constantFrom(...words) }) },
  { weight: 20, arbitrary: fc.record({ kind: fc.constant('wake') }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('retry') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel') }) },
);

const again = fc.record({ line, back: fc.nat({ max: 20 }) });

const schedules = fc.array(fc.record({ move: once, repeated: fc.array(again, { maxLength: 2 }) }), {
  minLength: 20,
  maxLength: 80,
  size: 'max',
});

/** Terminal states, and states that wait for the chain or for a date, not for a message. */
const AT_REST = /^(pending\.(waiting|dunning)|active\.waiting|past_due\.waiting|canceled\.closed)$/;

describe('messages between a subscription and its payments', () => {
  it('that arrive late or twice change nothing more than one arrival', () => {
    fc.assert(
      fc.property(schedules, (schedule) => {
        const [plain, troubled] = [new Pair(), new Pair()];
        for (const { move, repeated } of schedule) {
          plain.make(move);
          troubled.make(move);
          for (const repeat of repeated) troubled.repeat(repeat);
          expect(troubled.everything).toEqual(plain.everything);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('bring both to rest when all have arrived and the chain has ended each charge', () => {
    fc.assert(
      fc.property(schedules, fc.constantFrom<Word>('final', 'refused'), (schedule, end) => {
        const pair = new Pair();
        for (const { move } of schedule) pair.make(move);
        pair.settle();
        pair.make({ kind: 'chain', word: end });
        pair.settle();
        expect(pair.subscription.stateName).toMatch(AT_REST);
        for (const payment of pair.payments) expect(payment.stateName).toMatch(/^(settled|failed|canceled)$/);
        const settled = pair.payments.filter(({ stateName }) => stateName === 'settled').length;
        expect(pair.subscription.context.cyclesCompleted).toBe(settled);
      }),
      { numRuns: 60 },
    );
  });
});
