import { createHmac } from 'node:crypto';
import { signTestWebhook, type WebhookEvent } from 'tideline/client';
import { causeOf } from '../lib/json-request.ts';

/** What came back from the local server. */
export interface Forwarded {
  /** null: there was no answer, and `error` says why. */
  readonly status: number | null;
  readonly error: string | null;
  readonly durationMs: number;
}

/** As long as the service itself waits. */
const TIMEOUT_MS = 15_000;

/** How many events may be under way to the local server. */
const UNDER_WAY_MAX = 16;

/**
 * The secret with which a listener signs where none is given: one that follows from the key, so that it is the same at every
 * start and in nobody's way. The key cannot be found from it.
 */
export function listenerSecret(apiKey: string): string {
  return `whsec_${createHmac('sha256', apiKey).update('tideline webhooks listen').digest('base64')}`;
}

/** Posts an event as the service would: the same bytes, signed as of now. Once; never rejects. */
export async function forward(event: WebhookEvent, url: string, secret: string): Promise<Forwarded> {
  const { body, headers } = signTestWebhook(JSON.stringify(event), secret);
  const began = performance.now();
  const took = () => Math.round(performance.now() - began);
  try {
    const response = await fetch(url, {
      method: 'POST',
      body,
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    return { status: response.status, error: null, durationMs: took() };
  } catch (error) {
    return { status: null, error: causeOf(error), durationMs: took() };
  }
}

/** Does things of one name one after another, things of different names side by side, so many at once at most. */
export class ResourceQueues {
  readonly #queues = new Map<string, Promise<void>>();
  readonly #waiting: (() => void)[] = [];
  #active = 0;

  /** `work` must not reject. */
  add(name: string, work: () => Promise<void>): void {
    const before = this.#queues.get(name) ?? Promise.resolve();
    const mine = before.then(async () => {
      if (this.#active >= UNDER_WAY_MAX) await new Promise<void>((resolve) => this.#waiting.push(resolve));
      this.#active += 1;
      await work();
      this.#active -= 1;
      this.#waiting.shift()?.();
      if (this.#queues.get(name) === mine) this.#queues.delete(name);
    });
    this.#queues.set(name, mine);
  }

  /** Resolves when everything that has been added has been done. */
  async idle(): Promise<void> {
    while (this.#queues.size > 0) await Promise.all(this.#queues.values());
  }
}
