import type { ChainFamily, Mandate } from '../../src/checkout/wire.ts';
import type { MessageKey } from '../i18n/say.ts';

/*
 * What the pages promise to a payer: the texts `promise.…` of the catalogs, so that documents can be held to them.
 */

/** What an approval without a limit leaves to whom. */
export const UNLIMITED: Readonly<Record<ChainFamily, MessageKey>> = {
  evm: 'promise.unlimited_evm',
  solana: 'promise.unlimited_solana',
};

/** What limits the charges under a mandate, and who keeps the limits. */
export function promiseOf(mandate: Mandate, family: ChainFamily): MessageKey {
  const { charges, intervalSeconds, intervalMonths, per30Days } = mandate;
  if (family === 'solana') return 'promise.solana';
  if (per30Days !== null) return 'promise.evm_use';
  if (intervalSeconds !== null || intervalMonths !== null) return 'promise.evm_recurring';
  return charges === 1 ? 'promise.evm_once' : 'promise.evm_test';
}
