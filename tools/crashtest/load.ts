import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../src/errors/message-of.ts';
import type { Random } from './random.ts';
import { ask, chargeNext } from './story-requests.ts';
import type { World } from './world.ts';

/** Merchants that use the service. */
export interface Load {
  /** Answers that no client may ever get. */
  readonly refusals: readonly string[];
  /** Starts nothing more. Resolves when every request has its answer. */
  finish(): Promise<void>;
}

export interface LoadOptions {
  readonly random: Random;
  readonly signal: AbortSignal;
  /** The limit of started stories. */
  readonly most: number;
}

const PAUSE_MS = { least: 20, most: 300 } as const;

/** The shares of subscriptions and payments; the rest are renewals. */
const SUBSCRIPTIONS = 0.55;
const PAYMENTS = 0.25;

/** The limit of clients that wait for an answer. */
const IN_FLIGHT_MAX = 32;

/** Starts subscriptions, payments and renewals at random moments until `finish`. */
export function startLoad(world: World, { random, signal, most }: LoadOptions): Load {
  const refusals: string[] = [];
  const inFlight = new Set<Promise<void>>();
  const finishing = new AbortController();
  const request = async (): Promise<unknown> => {
    const choice = random.next();
    const renewable = world.stories.all.filter(({ kind, id }) => kind === 'subscription' && id !== null);
    if (choice >= SUBSCRIPTIONS + PAYMENTS && renewable.length > 0)
      return chargeNext(world, random.pick(renewable), signal);
    return ask(world, world.stories.begin(choice < SUBSCRIPTIONS ? 'subscription' : 'payment', 'load'), signal);
  };
  const begin = (): void => {
    const one = request()
      .then(
        () => {},
        (error: unknown) => {
          if (!signal.aborted) refusals.push(`a client got the answer: ${messageOf(error)}`);
        },
      )
      .finally(() => inFlight.delete(one));
    inFlight.add(one);
  };
  const working = (async () => {
    for (let begun = 0; begun < most && !finishing.signal.aborted; ) {
      signal.throwIfAborted();
      if (inFlight.size < IN_FLIGHT_MAX) {
        begin();
        begun += 1;
      }
      await delay(random.integer(PAUSE_MS.least, PAUSE_MS.most), undefined, { signal });
    }
  })();
  working.catch(() => {});
  return {
    refusals,
    finish: async () => {
      finishing.abort();
      await working;
      await Promise.all(inFlight);
    },
  };
}
