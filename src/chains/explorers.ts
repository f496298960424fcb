/** The usual block explorers of the public chains; `{}` is the place of the transaction. */
const EXPLORERS: { readonly [chainId: number]: string } = {
  1: 'https://etherscan.io/tx/{}',
  10: 'https://optimistic.etherscan.io/tx/{}',
  56: 'https://bscscan.com/tx/{}',
  101: 'https://explorer.solana.com/tx/{}',
  103: 'https://explorer.solana.com/tx/{}?cluster=devnet',
  137: 'https://polygonscan.com/tx/{}',
  8453: 'https://basescan.org/tx/{}',
  42161: 'https://arbiscan.io/tx/{}',
  84532: 'https://sepolia.basescan.org/tx/{}',
  11155111: 'https://sepolia.etherscan.io/tx/{}',
};

/** The page of a transaction; null: a local chain, which no explorer shows. */
export function explorerUrl(chainId: number, txHash: string): string | null {
  return EXPLORERS[chainId]?.replace('{}', encodeURIComponent(txHash)) ?? null;
}
