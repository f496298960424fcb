import { createRequire } from 'node:module';

/** The token library, in the form that loads three times as fast. */
const splToken: typeof import('@solana/spl-token') = createRequire(import.meta.url)('@solana/spl-token');

export const {
  AccountState,
  ExtensionType,
  createApproveCheckedInstruction,
  createAssociatedTokenAccountIdempotentInstruction,
  createFreezeAccountInstruction,
  createRevokeInstruction,
  createThawAccountInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
  getDefaultAccountState,
  getExtensionTypes,
  getNonTransferable,
  getPausableConfig,
  getPermanentDelegate,
  getTransferFeeConfig,
  getTransferHook,
  unpackMint,
} = splToken;
