import { initialTransition, transition } from 'xstate';
import { newPayment } from '../../machines/payment/context.ts';
import { MACHINES } from '../../machines/versions.ts';
import { inertTransition, initialState } from '../../src/engine/step.ts';
import { START } from '../machines/support/delivery.ts';
import { newMonthly } from '../machines/support/subscription.ts';

function subscription(id: string) {
  return newMonthly({ id });
}

function payment(id: string) {
  return newPayment({ id, cycleOf: null, amount: '1', fromWallet: 'a', toWallet: 'b', forcedFailure: null });
}

const BEGINNINGS = [
  ['subscription', subscription],
  ['payment', payment],
] as const;

describe.each(BEGINNINGS)('a %s', (kind, made) => {
  const version = MACHINES[kind].current;

  it("starts in XState's initial state, moves to its next state, and returns the same effects", () => {
    for (const id of ['x_1', 'x_2']) {
      const input = version.context.parse(made(id));
      const [snapshot] = initialTransition(version.machine, input);
      expect(snapshot.context).toEqual(input);
      expect(initialState(version, input)).toEqual({ value: snapshot.value, context: snapshot.context });
      const event = { type: 'actor.created', input, now: START };
      const [theirs, asked] = transition(version.machine, snapshot, event);
      const [ours, mine] = inertTransition(version.machine, snapshot, event);
      expect([ours.value, ours.context]).toEqual([theirs.value, theirs.context]);
      expect(mine.map(({ type, params }) => ({ type, params }))).toEqual(
        asked.map(({ type, params }) => ({ type, params })),
      );
    }
  });
});
