import type { Config } from '../config/config.ts';

export type SolanaCode = Pick<typeof import('../chains/solana/chain.ts'), 'createSolanaChain'> &
  Pick<typeof import('../chains/solana/key-root.ts'), 'rootOfSeed' | 'rootOfPublicKey'> &
  Pick<typeof import('../chains/solana/delegates.ts'), 'Delegates'> &
  Pick<typeof import('../chains/solana/reader/chain-reader.ts'), 'SolanaChainReader'>;

/**
 * The code for Solana chains; null if this installation has none. Its libraries load slowly: begin early, and await the
 * result when the chains are opened.
 */
export async function loadSolana(config: Config): Promise<SolanaCode | null> {
  const isWanted = config.localSolana || config.chains.some(({ family }) => family === 'solana');
  if (!isWanted) return null;
  const chain = await import('../chains/solana/chain.ts');
  const [roots, delegates, reader] = await Promise.all([
    import('../chains/solana/key-root.ts'),
    import('../chains/solana/delegates.ts'),
    import('../chains/solana/reader/chain-reader.ts'),
  ]);
  return { ...chain, ...roots, ...delegates, ...reader };
}
