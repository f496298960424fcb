import { setTimeout as delay } from 'node:timers/promises';
import { TidelineError } from 'tideline/client';
import { z } from 'zod';
import { type JsonRequest, requestJson, UnexpectedStatus, Unreachable } from '../scripts/lib/json-request.ts';
import { staffToken } from '../scripts/lib/running-service.ts';
import { createMerchant } from '../scripts/lib/staff.ts';
import type { NewMerchant } from '../src/staff/wire.ts';
import type { Fetch } from './setting.ts';

/** An answer before validation. */
type Answer = { readonly [key: string]: unknown };

/** A merchant's engineer with a test key, over HTTP. */
export interface MerchantClient {
  readonly id: string;
  readonly testKey: string;
  readonly liveKey: string;
  /** Throws as `requestJson` does, and for every status except 200, 201 and 202. */
  call(method: JsonRequest<Answer>['method'], path: string, body?: object, signal?: AbortSignal): Promise<Answer>;
  /** As `call`, to the API of the checkout pages, without a key. */
  checkout(method: 'GET' | 'POST', path: string, body?: object, signal?: AbortSignal): Promise<Answer>;
}

const answer = z.record(z.string(), z.unknown());

interface ClientOptions {
  readonly name?: string;
  /** Sends the requests; by default the global `fetch`. */
  readonly fetch?: Fetch;
}

/** Makes a merchant as staff do. `urlOf` returns the process to call, which may change after a restart. */
export async function signUp(
  urlOf: () => string,
  dataDir: string,
  { name = 'Test', fetch }: ClientOptions = {},
): Promise<MerchantClient> {
  const { token } = staffToken({ DATA_DIR: dataDir });
  return clientOf(urlOf, await createMerchant({ url: urlOf(), token }, name), fetch);
}

/** The engineer of a merchant that staff have made. */
export function clientOf(urlOf: () => string, made: NewMerchant, fetch: Fetch = globalThis.fetch): MerchantClient {
  const common = { schema: answer, expected: [200, 201, 202], fetch };
  return {
    ...made,
    call: (method, path, body, signal) => {
      const headers = { 'X-API-Key': made.testKey };
      return requestJson({ ...common, method, url: `${urlOf()}/v1${path}`, headers, body, signal });
    },
    checkout: (method, path, body, signal) =>
      requestJson({ ...common, method, url: `${urlOf()}/checkout/api${path}`, body, signal }),
  };
}

const AGAIN_MS = 100;

/** The pause after a refusal by the rate limit of the checkout, which counts by the minute. */
const TOO_MANY_MS = 5_000;

/**
 * Repeats a request until it is answered, as a client with an idempotency key may: if nobody was there, the connection
 * broke, the service failed, or there were too many requests. Throws other errors, and when `signal` aborts.
 */
export async function insist<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    let pauseMs = AGAIN_MS;
    try {
      return await ask();
    } catch (error) {
      if (statusOf(error) === 429) pauseMs = TOO_MANY_MS;
      else if (!isPassing(error)) throw error;
    }
    await delay(pauseMs, undefined, { signal });
  }
}

function isPassing(error: unknown): boolean {
  const status = statusOf(error);
  return status === 0 || (status !== null && status >= 500);
}

/** The status of a refusal; 0: no whole answer came; null: it is another error. */
function statusOf(error: unknown): number | null {
  if (error instanceof UnexpectedStatus || error instanceof TidelineError) return error.status;
  return error instanceof Unreachable || isCutOff(error) ? 0 : null;
}

/** The error of fetch when an answer ended in the middle. */
function isCutOff(error: unknown): boolean {
  return error instanceof TypeError && error.message === 'terminated';
}
