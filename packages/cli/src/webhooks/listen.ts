import { setTimeout as delay } from 'node:timers/promises';
import { createClient, TidelineError, type WebhookEvent } from 'tideline/client';
import { resourceOf } from '../../../../scripts/lib/resource-of.ts';
import { ScriptError } from '../../../../scripts/lib/script.ts';
import { Feed, type ReadPage } from './feed.ts';
import { type Forwarded, forward, ResourceQueues } from './forward.ts';

export interface Listening {
  /** Without the version segment. */
  readonly url: string;
  readonly apiKey: string;
  /** null: events are shown, but not forwarded. */
  readonly forwardTo: string | null;
  readonly secret: string;
  /** When it aborts, current work ends and no more starts. */
  readonly signal: AbortSignal;
}

/** The output of a listener. */
export interface Audience {
  /** From now on every event is seen. */
  readonly ready: () => void;
  readonly event: (event: WebhookEvent, forwarded: Forwarded | null) => void;
  /** A problem; the listener tries again. */
  readonly trouble: (what: string) => void;
  readonly recovered: () => void;
}

/** The limit is sixty calls a minute. */
const CALLS_APART_MS = 1_050;

const PAUSES_MS = [500, 1_000, 2_000, 5_000, 10_000] as const;

/**
 * Shows and forwards every event until the signal aborts. Throws a ScriptError if trying again is useless: the key is
 * unknown, or another server answers.
 */
export async function listen(listening: Listening, audience: Audience): Promise<void> {
  const { signal, forwardTo, secret } = listening;
  const feed = new Feed(reading(listening), Date.now);
  const queues = new ResourceQueues();
  const until = untilDone(audience, signal);
  const take = (event: WebhookEvent): void => {
    if (forwardTo === null) audience.event(event, null);
    else {
      queues.add(resourceOf(event), async () => {
        if (!signal.aborted) audience.event(event, await forward(event, forwardTo, secret));
      });
    }
  };
  await until(() => feed.open());
  if (!signal.aborted) audience.ready();
  while (!signal.aborted) {
    for (const event of (await until(() => feed.next())) ?? []) take(event);
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

/** Repeats work after temporary failures. Resolves with its result; undefined if the signal aborts. */
function untilDone({ trouble, recovered }: Audience, signal: AbortSignal) {
  let failures = 0;
  return async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    while (!signal.aborted) {
      try {
        const done = await work();
        if (failures > 0) recovered();
        failures = 0;
        return done;
      } catch (error) {
        if (signal.aborted) return undefined;
        const { message, pauseMs } = failureIn(error, failures);
        if (failures === 0) trouble(`${message}; trying again`);
        failures += 1;
        await delay(pauseMs, undefined, { signal }).catch(() => {});
      }
    }
    return undefined;
  };
}

/** A failure after some others. Throws if trying again is useless. */
function failureIn(error: unknown, failures: number) {
  if (!(error instanceof TidelineError)) throw error;
  const { status, retryAfter, message } = error;
  if (status !== 0 && status !== 429 && status < 500) throw new ScriptError(refusalOf(error));
  const pauseMs = retryAfter === null ? (PAUSES_MS[failures] ?? PAUSES_MS.at(-1) ?? 0) : retryAfter * 1_000;
  return { message, pauseMs };
}

function refusalOf({ status, message }: TidelineError): string {
  if (status === 401) return 'The service does not know this key.';
  return `The service refuses to list its events: ${message}`;
}
