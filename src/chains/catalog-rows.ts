import type { ChainFamily } from '../store/collections.ts';

/** One chain as the catalog lists it. */
export interface ChainRow {
  readonly chainId: number;
  readonly family: ChainFamily;
  readonly label: string;
  /** The part of a `tokenKey` after the ticker. */
  readonly network: string;
  readonly testnet: boolean;
  /**
   * The number of blocks that make a charge final, unless `CONFIRMATIONS_<chainId>` is set. Null: commitment `confirmed` makes
   * it final.
   */
  readonly confirmations: number | null;
  /** The usual time between two blocks. Code that waits for a block polls at this interval. */
  readonly blockMs: number;
  /** EVM: the highest `maxPriorityFeePerGas` that a transaction may offer the block's proposer, in gwei. */
  readonly tipGweiMax?: number;
}

interface TokenRow {
  readonly chainId: number;
  readonly ticker: string;
  readonly decimals: number;
  readonly address: string;
  /** The answers of the contract's `symbol()`, if they differ from the ticker. */
  readonly symbols?: readonly string[];
}

/**
 * The chains of the catalog (docs/rules.md, "Environments, chains, tokens"; confirmations: docs/rules.md, "Payments"). The
 * limit of a tip is about ten times the usual tip of a busy hour: a place in a block is not worth more, and no node can make a
 * sender pay more.
 */
export const CHAIN_ROWS: readonly ChainRow[] = [
  evm(1, 'Ethereum', 'ethereum', 6, 12_000, 50),
  evm(10, 'Optimism', 'optimism', 3, 2_000, 2),
  evm(56, 'BNB Smart Chain', 'bnb', 3, 750, 20),
  evm(137, 'Polygon', 'polygon', 32, 2_000, 1_000),
  evm(8453, 'Base', 'base', 3, 2_000, 2),
  evm(42161, 'Arbitrum One', 'arbitrum', 3, 250, 2),
  solana(101, 'Solana', 'solana'),
  { ...evm(11155111, 'Sepolia', 'sepolia', 6, 12_000, 50), testnet: true },
  { ...evm(84532, 'Base Sepolia', 'base-sepolia', 3, 2_000, 2), testnet: true },
  { ...solana(103, 'Solana devnet', 'solana-devnet'), testnet: true },
];

export const LOCAL_EVM_CHAIN: ChainRow = { ...evm(31337, 'Local EVM', 'local-evm', 1, 200, 50), testnet: true };
export const LOCAL_SOLANA_CHAIN: ChainRow = {
  ...solana(104, 'Local Solana', 'local-solana'),
  testnet: true,
  blockMs: 200,
};

/** The tokens of the public chains. The comment above each row names the source of the address. */
export const TOKEN_ROWS: readonly TokenRow[] = [
  // Circle, "USDC Contract Addresses" (developers.circle.com/stablecoins/usdc-contract-addresses), mainnet table: Ethereum.
  token(1, 'USDC', 6, '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'),
  // Tether, "Supported Protocols" (tether.to/en/supported-protocols): Ethereum.
  token(1, 'USDT', 6, '0xdAC17F958D2ee523a2206206994597C13D831ec7'),
  // Circle, mainnet table: OP Mainnet (native, not the bridged USDC.e).
  token(10, 'USDC', 6, '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85'),
  // Optimism's token list of its standard bridge (ethereum-optimism.github.io, data/USDT/data.json): canonical USDT.
  token(10, 'USDT', 6, '0x94b008aA00579c1307B0EF2c499aD98a8ce58e58'),
  // BscScan, "Binance-Peg USD Coin"; the same in Trust Wallet's list (assets/blockchains/smartchain): 18 decimals.
  token(56, 'USDC', 18, '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d'),
  // BscScan, "Binance-Peg BSC-USD": symbol() answers USDT; 18 decimals.
  token(56, 'USDT', 18, '0x55d398326f99059fF775485246999027B3197955'),
  // Circle, mainnet table: Polygon PoS (native, not the bridged USDC.e).
  token(137, 'USDC', 6, '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'),
  // Canonical PoS bridge, now Tether's own USDT0 (docs.usdt0.to/technical-documentation/deployments): Polygon PoS.
  token(137, 'USDT', 6, '0xc2132D05D31c914a87C6611C10748AEb04B58e8F', ['USDT', 'USDT0', 'USD₮0']),
  // Circle, mainnet table: Base. (USDT is neither native there nor in the standard bridge's list.)
  token(8453, 'USDC', 6, '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'),
  // Circle, mainnet table: Arbitrum (native, not the bridged USDC.e).
  token(42161, 'USDC', 6, '0xaf88d065e77c8cC2239327C5EDb3A432268e5831'),
  // Canonical bridge, now Tether's own USDT0 (docs.usdt0.to/technical-documentation/deployments): Arbitrum One.
  token(42161, 'USDT', 6, '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9', ['USDT', 'USDT0', 'USD₮0']),
  // Circle, mainnet table: Solana.
  token(101, 'USDC', 6, 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'),
  // Tether, "Supported Protocols": Solana.
  token(101, 'USDT', 6, 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'),
  // Circle, "USDC Contract Addresses", testnet table: Ethereum Sepolia. (There is no USDT of Tether's on any testnet.)
  token(11155111, 'USDC', 6, '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238'),
  // Circle, testnet table: Base Sepolia.
  token(84532, 'USDC', 6, '0x036CbD53842c5426634e7929541eC2318f3dCF7e'),
  // Circle, testnet table: Solana Devnet.
  token(103, 'USDC', 6, '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU'),
];

function evm(
  chainId: number,
  label: string,
  network: string,
  confirmations: number,
  blockMs: number,
  tipGweiMax: number,
): ChainRow {
  return { chainId, family: 'evm', label, network, testnet: false, confirmations, blockMs, tipGweiMax };
}

function solana(chainId: number, label: string, network: string): ChainRow {
  return { chainId, family: 'solana', label, network, testnet: false, confirmations: null, blockMs: 400 };
}

function token(
  chainId: number,
  ticker: string,
  decimals: number,
  address: string,
  symbols?: readonly string[],
): TokenRow {
  return { chainId, ticker, decimals, address, ...(symbols ? { symbols } : {}) };
}
