import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../src/errors/message-of.ts';
import type { Random } from './random.ts';
import { ask, chargeNext } from './story-requests.ts';
import type { World } from './world.ts';

/** Merchants that use the service while processes die. */
export interface Load {
  /** Answers that no client may ever get. */
  readonly refusals: readonly string[];
  /** Starts nothing more. Resolves when every request has a 2xx answer. */
  finish(): Promise<void>;
}

export interface LoadOptions {
  readonly random: Random;
  readonly signal: AbortSignal;
  /** The limit of started stories. */
  readonly most: number;
}

/** The limit of clients that wait for an answer. */
const IN_FLIGHT_MAX = 32;

const PAUSE_MS = { least: 20, most: 300 } as const;

/** The shares of subscriptions and payments; the rest are renewals. */
const SUBSCRIPTIONS = 0.55;
const PAYMENTS = 0.25;

/** Starts subscriptions, payments and renewals at random moments until `finish`. */
export function startLoad(world: World, { random, signal, most }: LoadOptions): Load {
  const refusals: string[] = [];
  const inFlight = new Set<Promise<void>>();
  const finishing = new AbortController();
  const beginOne = (): void => {
    const client = clientOf(world, random, signal)
      .catch((error: unknown) => {
        if (!signal.aborted) refusals.push(`a client got the answer: ${messageOf(error)}`);
      })
      .finally(() => inFlight.delete(client));
    inFlight.add(client);
  };
  const working = (async () => {
    for (let begun = 0; begun < most && !finishing.signal.aborted; ) {
      signal.throwIfAborted();
      if (inFlight.size < IN_FLIGHT_MAX) {
        beginOne();
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

async function clientOf(world: World, random: Random, signal: AbortSignal): Promise<void> {
  const choice = random.next();
  const renewable = world.stories.all.filter(({ kind, id }) => kind === 'subscription' && id !== null);
  if (choice >= SUBSCRIPTIONS + PAYMENTS && renewable.length > 0) {
    await chargeNext(world, random.pick(renewable), signal);
    return;
  }
  const kind = choice < SUBSCRIPTIONS ? 'subscription' : 'payment';
  await ask(world, world.stories.begin(kind, 'load'), signal);
}
