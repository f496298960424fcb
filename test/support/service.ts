import { type ServiceOptions, type ServiceProcess, ServiceProcesses, untilReady } from '../../stage/processes.ts';
import { afterEachFile } from '../runner/after.ts';

/** The processes of one test file; those that still run end with it. */
const processes = new ServiceProcesses();

afterEachFile(() => processes.killAll());

export interface TestServiceOptions extends ServiceOptions {
  /** Resolves only when `/readyz` answers 200; otherwise right after the start. */
  readonly waitUntilReady?: boolean;
}

/** Starts the service on a free port. Throws with its last output if it ends before it is ready. */
export async function startServiceProcess(options: TestServiceOptions): Promise<ServiceProcess> {
  const service = await processes.spawn(options);
  if (options.waitUntilReady !== false) await untilReady(service);
  return service;
}
