import { createHmac } from 'node:crypto';
import { signTestWebhook, type WebhookEvent } from 'tideline/client';
import { causeOf } from '../../../../scripts/lib/json-request.ts';

/** The local server's answer. */
export interface Forwarded {
  /** null: no answer; `error` has the reason. */
  readonly status: number | null;
  readonly error: string | null;
  /** The beginning of the answer's body; empty without one. */
  readonly body: string;
  readonly durationMs: number;
}

/** The time-out of the service itself. */
const TIMEOUT_MS = 15_000;

/** How much of an answer is shown, characters. */
const BODY_MAX = 200;

/** The most events under way to the local server. */
const UNDER_WAY_MAX = 16;

/**
 * The default secret of a listener. It is derived from the key, so it is the same at every start. The key cannot be
 * computed from it.
 */
export function listenerSecret(apiKey: string): string {
  return `whsec_${createHmac('sha256', apiKey).update('tideline webhooks listen').digest('base64')}`;
}

/** Posts an event like the service: the same bytes, signed with the current time. Once; never rejects. */
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
    return { status: response.status, error: null, body: await beginningOf(response), durationMs: took() };
  } catch (error) {
    return { status: null, error: causeOf(error), body: '', durationMs: took() };
  }
}

async function beginningOf({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  const first = await reader?.read();
  await reader?.cancel();
  return new TextDecoder().decode(first?.value).slice(0, BODY_MAX).trim();
}

/** Runs work with the same name in order, and with different names in parallel, up to a limit. */
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

  /** Resolves when all work is done. */
  async idle(): Promise<void> {
    while (this.#queues.size > 0) await Promise.all(this.#queues.values());
  }
}
