import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../../src/errors/message-of.ts';
import type { Story } from '../stories.ts';
import { ask, chargeNext } from '../story-requests.ts';
import type { World } from '../world.ts';
import type { Sample } from './samples.ts';

/** A merchant that sends the same requests at the same pace throughout. */
export interface SteadyLoad {
  /** The duration of each payment from request to final answer. */
  readonly samples: readonly Sample[];
  readonly refusals: readonly string[];
  /** Sends nothing more. Resolves when all requests are answered. */
  finish(): Promise<void>;
}

/** The interval of requests: two renewals, then one payment. */
const EVERY_MS = 250;
/** With more unanswered requests the service is overloaded, and the figures would measure a queue. */
const IN_FLIGHT_MAX = 64;

export interface SteadyOptions {
  readonly signal: AbortSignal;
  /** A fixed set; renewals take its subscriptions in turn. */
  readonly subscriptions: readonly Story[];
}

export function startSteadyLoad(world: World, { signal, subscriptions }: SteadyOptions): SteadyLoad {
  const samples: Sample[] = [];
  const refusals: string[] = [];
  const inFlight = new Set<Promise<void>>();
  const finishing = new AbortController();
  const began = performance.now();
  const pay = async (): Promise<void> => {
    const asked = performance.now();
    await ask(world, world.stories.begin('payment', 'soak'), signal);
    samples.push({ atMs: asked - began, values: { paymentMs: performance.now() - asked } });
  };
  const renew = async (turn: number): Promise<void> => {
    const story = subscriptions[turn % subscriptions.length];
    if (story) await chargeNext(world, story, signal);
  };
  const begin = (turn: number): void => {
    const one = (turn % 3 === 0 ? pay() : renew(turn))
      .catch((error: unknown) => {
        if (!signal.aborted) refusals.push(`a client got the answer: ${messageOf(error)}`);
      })
      .finally(() => inFlight.delete(one));
    inFlight.add(one);
  };
  const working = (async () => {
    for (let turn = 0; !finishing.signal.aborted; turn += 1) {
      if (inFlight.size < IN_FLIGHT_MAX) begin(turn);
      else
        refusals.push(`${IN_FLIGHT_MAX} requests were not answered after ${Math.round(performance.now() - began)} ms`);
      await delay(EVERY_MS, undefined, { signal });
    }
  })();
  working.catch(() => {});
  return {
    samples,
    refusals,
    finish: async () => {
      finishing.abort();
      await working;
      await Promise.all(inFlight);
    },
  };
}
