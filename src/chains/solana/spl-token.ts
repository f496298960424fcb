import { createRequire } from 'node:module';

const ABOUT_BIGINT = 'bigint: Failed to load bindings';

/**
 * The token library, in the form that loads three times as fast. While it loads, one of its packages warns on stderr
 * that its native part is missing. That part is left out on purpose, and stderr is the log of this process, so the
 * warning is dropped.
 */
function loadQuietly(): typeof import('@solana/spl-token') {
  const { warn } = console;
  console.warn = (...words: unknown[]) => {
    if (!String(words[0]).startsWith(ABOUT_BIGINT)) warn.apply(console, words);
  };
  try {
    return createRequire(import.meta.url)('@solana/spl-token');
  } finally {
    console.warn = warn;
  }
}

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
} = loadQuietly();
