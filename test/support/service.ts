import { type ServiceOptions, type ServiceProcess, ServiceProcesses, untilReady } from '../../stage/processes.ts';
import { afterEachFile } from '../runner/after.ts';

/** The processes of one test file; those that still run end with it. */
const processes = new ServiceProcesses();

afterEachFile(() => processes.killAll());

/** Starts the service on a free port. Throws with its last output if it ends before it is ready. */
export async function startServiceProcess(options: ServiceOptions): Promise<ServiceProcess> {
  const service = await processes.spawn(options);
  await untilReady(service);
  return service;
}

/** Starts the service, which ends with exit code 1. Resolves with its log. */
export async function failedStart(options: ServiceOptions): Promise<string> {
  const service = await processes.spawn(options);
  expect((await service.exited).code).toBe(1);
  return service.log();
}
