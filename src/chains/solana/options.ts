import type { ChainSizes } from '../context.ts';

export const SOLANA_SIZES: ChainSizes = { charges: 100, inFlight: 500, rpcBatch: 100, logOverlap: 32 };

/** The most entries that nodes take in one call of `getMultipleAccounts`, and of `getSignatureStatuses`. */
export const ACCOUNTS_PER_CALL = 100;
export const STATUSES_PER_CALL = 256;
