import type { FaultHook } from '../../src/engine/faults.ts';
import type { AppDeps } from '../../src/service/app.ts';
import type { Store } from '../../src/store/port.ts';
import { openTestBilling, type TestBilling } from './billing.ts';
import { type HttpHarness, type Reply, startHttp } from './http.ts';

/** One process of the service: the API, and the machines behind it. */
export interface TestService {
  readonly http: HttpHarness;
  readonly billing: TestBilling;
}

interface ServiceOptions {
  /** Replaces parts for the test. */
  readonly change?: (deps: AppDeps) => AppDeps;
  /** A store that other processes share; by default a new memory store. */
  readonly store?: Store;
  readonly fault?: FaultHook;
}

/** Starts the API over real machines; only the test makes the chain report anything. */
export async function startService(options: ServiceOptions = {}): Promise<TestService> {
  const { change = (deps) => deps, store = null, fault } = options;
  const opened: { billing?: TestBilling } = {};
  const http = await startHttp((given) => {
    const deps = change(given);
    opened.billing = openTestBilling(deps, store ?? deps.store, fault);
    return { ...deps, ...opened.billing.deps, services: { ...deps.services, ...opened.billing.services } };
  }, store);
  if (opened.billing === undefined) throw new Error('the harness did not ask for its services');
  return { http, billing: opened.billing };
}

/** How long a request waits for a result. */
const OUTCOME_WAIT_MS = 25_000;

/** The answer to a request whose result never comes: the clock advances until the request stops waiting. */
export async function answerAtDeadline(http: HttpHarness, asked: Promise<Reply>): Promise<Reply> {
  let isAnswered = false;
  const answer = asked.finally(() => {
    isAnswered = true;
  });
  while (!isAnswered) {
    http.now = new Date(http.now.getTime() + OUTCOME_WAIT_MS);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return answer;
}
