import { setTimeout as delay } from 'node:timers/promises';
import { createClient, TidelineError, type WebhookEvent } from 'tideline/client';
import { resourceOf } from '../demo/webhooks.ts';
import { ScriptError } from '../lib/script.ts';
import { Feed, type ReadPage } from './feed.ts';
import { type Forwarded, forward, ResourceQueues } from './forward.ts';

/** What a listener does. */
export interface Listening {
  /** Without the version segment. */
  readonly url: string;
  readonly apiKey: string;
  /** null: events are shown, and go nowhere. */
  readonly forwardTo: string | null;
  readonly secret: string;
  /** Aborted: what is under way is ended, and nothing more is begun. */
  readonly signal: AbortSignal;
}

/** Who is told of it. */
export interface Audience {
  /** Everything that comes from now on is seen. */
  readonly ready: () => void;
  readonly event: (event: WebhookEvent, forwarded: Forwarded | null) => void;
  /** Something is in the way; it is tried again, by itself. */
  readonly trouble: (what: string) => void;
  /** It is over. */
  readonly recovered: () => void;
}

/** The limit is sixty calls a minute. */
const CALLS_APART_MS = 1_050;

const PAUSES_MS = [500, 1_000, 2_000, 5_000, 10_000] as const;

/**
 * Shows and forwards every event that comes until the signal is aborted. Throws a ScriptError where it makes no sense to try
 * again: the key is not known, or something else than the service answers.
 */
export async function listen(listening: Listening, audience: Audience): Promise<void> {
  const { signal, forwardTo, secret } = listening;
  const feed = new Feed(reading(listening), Date.now);
  const queues = new ResourceQueues();
  const patience = new Patience(audience, signal);
  const take = (event: WebhookEvent): void => {
    if (forwardTo === null) audience.event(event, null);
    else {
      queues.add(resourceOf(event), async () => {
        if (!signal.aborted) audience.event(event, await forward(event, forwardTo, secret));
      });
    }
  };
  await patience.until(() => feed.open());
  if (!signal.aborted) audience.ready();
  while (!signal.aborted) {
    for (const event of (await patience.until(() => feed.next())) ?? []) take(event);
  }
  await queues.idle();
}

function reading({ url, apiKey, signal }: Listening): ReadPage {
  const client = createClient({ apiKey, baseUrl: `${url}/v1`, maxRetries: 0 });
  let calledAt = Number.NEGATIVE_INFINITY;
  return async (query) => {
    const earlyMs = calledAt + CALLS_APART_MS - performance.now();
    if (earlyMs > 0) await delay(earlyMs, undefined, { signal });
    calledAt = performance.now();
    return (await client.events.list(query, { signal })).events;
  };
}

/** Tries again what fails for a reason that passes. */
class Patience {
  readonly #audience: Audience;
  readonly #signal: AbortSignal;
  #failures = 0;

  constructor(audience: Audience, signal: AbortSignal) {
    this.#audience = audience;
    this.#signal = signal;
  }

  /** What `work` resolves with in the end; undefined once the signal is aborted. */
  async until<T>(work: () => Promise<T>): Promise<T | undefined> {
    while (!this.#signal.aborted) {
      try {
        const done = await work();
        if (this.#failures > 0) this.#audience.recovered();
        this.#failures = 0;
        return done;
      } catch (error) {
        if (this.#signal.aborted) return undefined;
        await delay(this.#pauseAfter(error), undefined, { signal: this.#signal }).catch(() => {});
      }
    }
    return undefined;
  }

  #pauseAfter(error: unknown): number {
    if (!(error instanceof TidelineError)) throw error;
    const { status, retryAfter, message } = error;
    if (status !== 0 && status !== 429 && status < 500) throw new ScriptError(refusalOf(error));
    const pauseMs = retryAfter === null ? (PAUSES_MS[this.#failures] ?? PAUSES_MS.at(-1) ?? 0) : retryAfter * 1_000;
    if (this.#failures === 0) this.#audience.trouble(`${message}; trying again`);
    this.#failures += 1;
    return pauseMs;
  }
}

function refusalOf({ status, message }: TidelineError): string {
  if (status === 401) return 'The service does not know this key.';
  return `The service does not tell its events: ${message}`;
}
