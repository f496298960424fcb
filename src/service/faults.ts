import type { Config } from '../config/config.ts';
import { type FaultHook, noFaults } from '../engine/faults.ts';
import { loadDevnet } from './local-parts.ts';

/**
 * The hook for `FAULTS` and `FAULTS_REPORT`; without them, as in production, it does nothing.
 *
 * @throws DevnetError if this installation cannot inject faults
 */
export async function faultsOf({ faults, faultsReport }: Pick<Config, 'faults' | 'faultsReport'>): Promise<FaultHook> {
  if (faults.length === 0 && faultsReport === null) return noFaults;
  const devnet = await loadDevnet();
  return devnet.injectFaults(faults, faultsReport);
}
