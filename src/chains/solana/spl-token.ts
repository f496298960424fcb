const ABOUT_BIGINT = 'bigint: Failed to load bindings';

/**
 * The token library. One of its packages says on stderr, while it is loaded, that it does without its native part. That
 * part is left out on purpose, and everything that this process writes there is a line of its log, so it is not said.
 */
const { warn } = console;
console.warn = (...words: unknown[]) => {
  if (!String(words[0]).startsWith(ABOUT_BIGINT)) warn.apply(console, words);
};
const library = await import('@solana/spl-token');
console.warn = warn;

export const {
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
  getNonTransferable,
  getTransferFeeConfig,
  getTransferHook,
  unpackMint,
} = library;
