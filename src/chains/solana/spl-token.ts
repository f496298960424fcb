import { createRequire } from 'node:module';

const ABOUT_BIGINT = 'bigint: Failed to load bindings';

/**
 * The token library, in the form that loads three times as fast. One of its packages says on stderr, while it is loaded,
 * that it does without its native part. That part is left out on purpose, and everything that this process writes there is
 * a line of its log, so it is not said.
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
