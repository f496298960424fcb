import { routerInterface } from '../../../src/chains/evm/contracts/router.ts';
import type { Run } from './machine.ts';

/** Logs an event of the router, whose address is in lower case. */
export function emit(run: Run, router: string, event: string, ...values: readonly unknown[]): void {
  const { topics, data } = routerInterface.encodeEventLog(event, values);
  run.log(router, topics, data);
}
