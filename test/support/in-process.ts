import type { FaultHook } from '../../src/engine/faults.ts';
import type { AppDeps } from '../../src/service/app.ts';
import type { Store } from '../../src/store/port.ts';
import { openTestBilling, type TestBilling } from './billing.ts';
import { type HttpHarness, type Reply, startHttp } from './http.ts';

/** One process of the service: the API, and the machines that it sends events to. */
export interface TestService {
  readonly http: HttpHarness;
  readonly billing: TestBilling;
}

interface ServiceOptions {
  /** Replaces what a test is about. */
  readonly change?: (deps: AppDeps) => AppDeps;
  /** One that other processes have too; a memory one of its own unless it is given. */
  readonly store?: Store;
  readonly fault?: FaultHook;
}

/** Starts the API over real machines; no chain says anything but what the test makes it say. */
export async function startService(options: ServiceOptions = {}): Promise<TestService> {
  const { change = (deps) => deps, store = null, fault } = options;
  const opened: { billing?: TestBilling } = {};
  const http = await startHttp((given) => {
    const deps = change(given);
    opened.billing = openTestBilling(deps, store ?? deps.store, fault);
    return { ...deps, services: { ...deps.services, ...opened.billing.services } };
  }, store);
  if (opened.billing === undefined) throw new Error('the harness did not ask for its services');
  return { http, billing: opened.billing };
}

/** How long a request waits for an outcome. */
const OUTCOME_WAIT_MS = 25_000;

/** The answer to a request that waits for an outcome which never comes: the clock moves on until the request gives up. */
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
