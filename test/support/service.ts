import {
  type ServiceOptions,
  type ServiceProcess,
  ServiceProcesses,
  untilReady,
} from '../../tools/lib/service-process.ts';
import { afterEachFile } from '../runner/after.ts';

/** Those of one test file: what it leaves running is ended with it. */
const processes = new ServiceProcesses();

afterEachFile(() => processes.killAll());

export interface TestServiceOptions extends ServiceOptions {
  /** Resolve only when `/health` answers 200; else as soon as it has been started. */
  readonly waitUntilReady?: boolean;
}

/** Starts the service on a free port. Throws with its last words when it ends before it is ready. */
export async function startServiceProcess(options: TestServiceOptions): Promise<ServiceProcess> {
  const service = await processes.spawn(options);
  if (options.waitUntilReady !== false) await untilReady(service);
  return service;
}
