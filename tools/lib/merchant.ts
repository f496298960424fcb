import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { type JsonRequest, requestJson, UnexpectedStatus, Unreachable } from '../../scripts/lib/json-request.ts';
import { staffToken } from '../../scripts/lib/running-service.ts';
import { createMerchant } from '../../scripts/lib/staff.ts';

/** An answer before validation. */
export type Answer = { readonly [key: string]: unknown };

/** A merchant's engineer with a test key, over HTTP. */
export interface MerchantClient {
  readonly id: string;
  readonly testKey: string;
  readonly liveKey: string;
  /** Throws as `requestJson` does, and for every status except 200, 201 and 202. */
  call(method: JsonRequest<Answer>['method'], path: string, body?: object, signal?: AbortSignal): Promise<Answer>;
}

const answer = z.record(z.string(), z.unknown());

/** Makes a merchant as staff do. `urlOf` returns the process to call, which may change after a restart. */
export async function signUp(urlOf: () => string, dataDir: string, name = 'Test'): Promise<MerchantClient> {
  const { token } = staffToken({ DATA_DIR: dataDir });
  const made = await createMerchant({ url: urlOf(), token }, name);
  return {
    ...made,
    call: (method, path, body, signal) =>
      requestJson({
        method,
        url: `${urlOf()}/v1${path}`,
        headers: { 'X-API-Key': made.testKey },
        body,
        schema: answer,
        expected: [200, 201, 202],
        signal,
      }),
  };
}

const AGAIN_MS = 100;

/**
 * Repeats a request until it is answered, as a client with an idempotency key may: if nobody was there, the connection broke,
 * or the service failed. Throws other errors, and when `signal` aborts.
 */
export async function insist<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    try {
      return await ask();
    } catch (error) {
      if (!isPassing(error)) throw error;
    }
    await delay(AGAIN_MS, undefined, { signal });
  }
}

function isPassing(error: unknown): boolean {
  if (error instanceof UnexpectedStatus) return error.status >= 500;
  return error instanceof Unreachable || isCutOff(error);
}

/** The error of fetch when an answer ended in the middle. */
function isCutOff(error: unknown): boolean {
  return error instanceof TypeError && error.message === 'terminated';
}
