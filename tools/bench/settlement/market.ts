import type { PayerConsent } from '../../../machines/consent.ts';
import type { Tenant } from '../../../src/store/documents.ts';
import type { World } from '../world.ts';

/** Merchants, and payers that have approved one of them each. */
export interface Market {
  readonly world: World;
  readonly merchants: readonly Tenant[];
  /** Payer `n` belongs to merchant `n % merchants.length`. */
  readonly payers: readonly string[];
  /** The merchants' fee, basis points. With a fee a charge is two transfers. */
  readonly feeBps: number;
  readonly receiver: () => string;
  /** The next cycle under the mandate of payer `n`; absent: payers have approved the open operator. */
  readonly signed?: (payer: number) => SignedCycle;
}

/** A cycle that a payer's mandate covers. */
export interface SignedCycle {
  readonly consent: PayerConsent;
  readonly cycle: number;
}

/** The amount of one charge, base units of the token. */
export const PRICE = 10_000_000n;

export const DB = 'settlement';

/** The settings of a worker on the database and chain of a market, with the tick of a deployment. */
export function workerEnv({ dataDir }: Pick<World, 'dataDir'>) {
  return {
    MONGODB_DB: DB,
    DATA_DIR: dataDir,
    LOCAL_DEVNETS: 'evm',
    LOCAL_EVM_PORT: '0',
    LOCAL_SOLANA_PORT: '0',
    TIDELINE_ROLE: 'worker',
  };
}
