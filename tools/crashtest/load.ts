import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../src/errors/message-of.ts';
import type { Random } from './random.ts';
import { ask, chargeNext } from './stories.ts';
import type { World } from './world.ts';

/** Merchants at work while processes die. */
export interface Load {
  /** What the service has answered that no client may ever hear. */
  readonly refusals: readonly string[];
  /** Begins nothing more; resolves when everything that was asked for has been answered with 2xx. */
  finish(): Promise<void>;
}

export interface LoadOptions {
  readonly random: Random;
  readonly signal: AbortSignal;
  /** No more than this is ever begun. */
  readonly most: number;
}

/** How many clients may be waiting for an answer. */
const IN_FLIGHT_MAX = 32;

const PAUSE_MS = { least: 20, most: 300 } as const;

/** Shares of what is begun; the rest are renewals. */
const SUBSCRIPTIONS = 0.55;
const PAYMENTS = 0.25;

/** Begins subscriptions, payments and renewals at random moments, until it is finished. */
export function startLoad(world: World, { random, signal, most }: LoadOptions): Load {
  const refusals: string[] = [];
  const inFlight = new Set<Promise<void>>();
  const finishing = new AbortController();
  const beginOne = (): void => {
    const client = clientOf(world, random, signal)
      .catch((error: unknown) => {
        if (!signal.aborted) refusals.push(`a client was told: ${messageOf(error)}`);
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
