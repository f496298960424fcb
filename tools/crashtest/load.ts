import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../src/errors/message-of.ts';
import type { Random } from './random.ts';
import type { Story } from './stories.ts';
import { ask, chargeNext } from './story-requests.ts';
import type { World } from './world.ts';

/** Merchants that use the service. */
export interface Load {
  /** Answers that no client may ever get. */
  readonly refusals: readonly string[];
  /** Starts nothing more. Resolves when every request has its answer. */
  finish(): Promise<void>;
}

interface Clients {
  readonly signal: AbortSignal;
  /** The requests of client number `turn`, from 0. */
  readonly client: (turn: number) => Promise<unknown>;
  /** The limit of clients. */
  readonly most?: number;
  /** The limit of clients that wait for an answer. */
  readonly inFlightMax: number;
  /** True: if that limit is reached, the service is overloaded, and that is a refusal. */
  readonly mayNotWait?: boolean;
  readonly pauseMs: () => number;
}

/** Begins one client after the other until `finish`. */
function startClients({ signal, client, most = Number.POSITIVE_INFINITY, ...pace }: Clients): Load {
  const { inFlightMax, mayNotWait = false, pauseMs } = pace;
  const refusals: string[] = [];
  const inFlight = new Set<Promise<void>>();
  const finishing = new AbortController();
  const began = performance.now();
  const begin = (turn: number): void => {
    const one = client(turn)
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
    for (let turn = 0; turn < most && !finishing.signal.aborted; ) {
      signal.throwIfAborted();
      if (inFlight.size < inFlightMax) {
        begin(turn);
        turn += 1;
      } else if (mayNotWait) {
        refusals.push(`${inFlightMax} requests were not answered after ${Math.round(performance.now() - began)} ms`);
      }
      await delay(pauseMs(), undefined, { signal });
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

/** Starts subscriptions, payments and renewals at random moments. */
export function startLoad(world: World, { random, signal, most }: LoadOptions): Load {
  const client = async (): Promise<unknown> => {
    const choice = random.next();
    const renewable = world.stories.all.filter(({ kind, id }) => kind === 'subscription' && id !== null);
    if (choice >= SUBSCRIPTIONS + PAYMENTS && renewable.length > 0)
      return chargeNext(world, random.pick(renewable), signal);
    return ask(world, world.stories.begin(choice < SUBSCRIPTIONS ? 'subscription' : 'payment', 'load'), signal);
  };
  const pauseMs = () => random.integer(PAUSE_MS.least, PAUSE_MS.most);
  return startClients({ signal, client, most, inFlightMax: 32, pauseMs });
}

export interface SteadyOptions {
  readonly signal: AbortSignal;
  /** A fixed set; renewals take its subscriptions in turn. */
  readonly subscriptions: readonly Story[];
  /** Gets the moment of each payment since the start, and its duration from request to final answer. */
  readonly onPaid: (atMs: number, paymentMs: number) => void;
}

/** The interval of requests. */
const EVERY_MS = 250;

/** Sends the same requests at the same pace throughout: two renewals, then one payment. */
export function startSteadyLoad(world: World, { signal, subscriptions, onPaid }: SteadyOptions): Load {
  const began = performance.now();
  const client = async (turn: number): Promise<void> => {
    if (turn % 3 === 0) {
      const asked = performance.now();
      await ask(world, world.stories.begin('payment', 'soak'), signal);
      onPaid(asked - began, performance.now() - asked);
      return;
    }
    const story = subscriptions[turn % subscriptions.length];
    if (story) await chargeNext(world, story, signal);
  };
  return startClients({ signal, client, inFlightMax: 64, mayNotWait: true, pauseMs: () => EVERY_MS });
}
