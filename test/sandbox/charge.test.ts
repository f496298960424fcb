import { setTimeout as delay } from 'node:timers/promises';
import type { FaultHook } from '../../src/engine/faults.ts';
import { subscriptionContextOf } from '../../src/model/subscription.ts';
import type { ChargeOutcome } from '../../src/sandbox/charge.ts';
import { openInProcess } from '../../stage/in-process-service.ts';
import { Random } from '../../tools/crashtest/random.ts';
import { Sandboxed } from './support/sandboxed.ts';

const ROUNDS = 8;
const CALLS = 6;
const PAUSE_MS = 8;

const random = new Random(20_300_115);

/** Another process may run between any two steps. */
const pausing: FaultHook = async () => {
  if (random.next() < 0.5) await delay(random.integer(0, PAUSE_MS));
};

/** The second process reports the charges, whichever asked for them. */
const sandboxed = await Sandboxed.open({ fault: pausing });
const { http, chain, billing } = sandboxed.merchant;
const second = openInProcess({ store: http.store, clock: () => http.now, chains: [chain], fault: pausing });
const processes = [billing, second];
sandboxed.charges.endAtOnce();

/** However the calls overlap: while another's charge is in flight, right after it, or at the same moment. */
it('reports each charge to one caller only, of several at two processes', async () => {
  const answers: ChargeOutcome[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const calls = Array.from({ length: CALLS }, async () => {
      await delay(random.integer(0, 4 * PAUSE_MS));
      return sandboxed.charge(random.pick(processes));
    });
    answers.push(...(await Promise.all(calls)));
  }
  const settled = answers.filter(({ outcome }) => outcome === 'settled').map(({ paymentId }) => paymentId);
  expect(settled.length).toBeGreaterThanOrEqual(ROUNDS);
  expect(new Set(settled).size).toBe(settled.length);
  const others = answers.filter(({ outcome }) => outcome !== 'settled');
  expect(new Set(others.map(({ reason }) => reason))).toEqual(new Set(['in_flight']));
  const doc = await sandboxed.merchant.subscription(sandboxed.id);
  expect(subscriptionContextOf(doc).cyclesCompleted).toBe(settled.length);
});
