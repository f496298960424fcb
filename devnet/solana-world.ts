import { localSolanaTokens } from '../src/chains/catalog.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, type TokenProgram } from '../src/chains/solana/programs.ts';
import type { SolanaWorld } from '../src/service/local-world.ts';
import { localSeed, localSolanaKey, mintAddress, solanaWallets } from './solana-keys.ts';

const FEE_PAYERS = 2;

/** The world of the chain at `rpcUrl`, without a request: every address is the same on every local chain. */
export function solanaWorld(rpcUrl: string, genesisHash: string): SolanaWorld {
  const wallets = solanaWallets().map(({ name, key, secretKey, behaviour }) => {
    return { name, address: key.address, secretKey, behaviour };
  });
  const platform = wallets.find(({ name }) => name === 'platform');
  if (!platform) throw new Error('No test wallet is named platform');
  return {
    rpcUrl,
    genesisHash,
    operatorSeed: localSeed('operators'),
    feePayers: solanaFeePayers().map(({ secretKey }) => secretKey),
    tokens: localSolanaTokens().map(({ ticker, decimals }) => {
      return { ticker, decimals, address: mintAddress(ticker, decimals) };
    }),
    wallets,
    platform: platform.address,
  };
}

export function solanaFeePayers() {
  return Array.from({ length: FEE_PAYERS }, (_, index) => localSolanaKey(`fee payer ${index + 1}`));
}

/** USDT is a Token-2022 token here, so that a test of both tokens covers both programs. */
export function testTokenProgram(ticker: string): TokenProgram {
  return ticker === 'USDT' ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM;
}
