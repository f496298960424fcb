/** One chain as the catalog lists it. Every fact has to be given; null says that there is none. */
interface Chain {
  readonly chainId: number;
  readonly label: string;
  /** The part of a `tokenKey` after the ticker. */
  readonly network: string;
  readonly testnet: boolean;
  /** The testnet that plays this chain for test keys if no local chain of the family runs; a testnet plays itself. */
  readonly sandbox: number;
  /** The usual time between two blocks. Code that waits for a block polls at this interval. */
  readonly blockMs: number;
  /**
   * The highest cost of a refund, in cents: a transfer and the deployment of the forwarder (some 150,000 gas) at high
   * gas prices; on Solana the transfer and the receiver's account. It is fixed, so that no rate of a native coin is
   * needed, and every check judges a deposit alike. Sandbox chains cost nothing, and less than a cent is not refunded.
   */
  readonly refundCents: bigint;
  /**
   * The least amount that a merchant may ask for in live mode, in cents, unless `MINIMUM_CENTS_<chainId>` is set: about
   * what one charge costs in gas at a usual price. Below it, the transfer costs more than it moves. None on
   * sandbox chains.
   */
  readonly minimumCents: bigint;
  /** The page of a transaction at a block explorer; `{}` is its hash. Null: a local chain, which no explorer shows. */
  readonly explorer: string | null;
}

export interface EvmChainRow extends Chain {
  readonly family: 'evm';
  /** The blocks that make a charge final, unless `CONFIRMATIONS_<chainId>` is set (docs/rules.md, "Payments"). */
  readonly confirmations: number;
  /**
   * The lowest and the highest `maxPriorityFeePerGas` that a transaction may offer the block's proposer, in gwei. The
   * lowest: pools refuse less on Polygon (PIP-35) and BNB Smart Chain; geth and op-geth leave less out of their blocks;
   * Arbitrum ignores it. The highest: about ten times the usual tip of a busy hour. Inclusion is not worth more, and no
   * node can make a sender pay more.
   */
  readonly tipGwei: { readonly min: number; readonly max: number };
}

/** Commitment `confirmed` makes a charge final, unless `CONFIRMATIONS_<chainId>` is set. */
export interface SolanaChainRow extends Chain {
  readonly family: 'solana';
  /** A node of another chain answers another one. Null: a local chain, whose node says it. */
  readonly genesisHash: string | null;
}

export type ChainRow = EvmChainRow | SolanaChainRow;

interface TokenRow {
  readonly chainId: number;
  readonly ticker: string;
  readonly decimals: number;
  readonly address: string;
  /** The answers of the contract's `symbol()`, if they differ from the ticker. */
  readonly symbols?: readonly string[];
}

const SEPOLIA = 11155111;
const BASE_SEPOLIA = 84532;
const SOLANA_DEVNET = 103;

const SANDBOX = { testnet: true, refundCents: 1n, minimumCents: 0n } as const;

/** The chains of the catalog (docs/rules.md, "Environments, chains, tokens"). */
export const CHAIN_ROWS: readonly ChainRow[] = [
  {
    chainId: 1,
    family: 'evm',
    label: 'Ethereum',
    network: 'ethereum',
    testnet: false,
    sandbox: SEPOLIA,
    blockMs: 12_000,
    refundCents: 5_00n,
    minimumCents: 1_00n,
    explorer: 'https://etherscan.io/tx/{}',
    confirmations: 6,
    tipGwei: { min: 0.001, max: 50 },
  },
  {
    chainId: 10,
    family: 'evm',
    label: 'Optimism',
    network: 'optimism',
    testnet: false,
    sandbox: SEPOLIA,
    blockMs: 2_000,
    refundCents: 5n,
    minimumCents: 10n,
    explorer: 'https://optimistic.etherscan.io/tx/{}',
    confirmations: 3,
    tipGwei: { min: 0.001, max: 2 },
  },
  {
    chainId: 56,
    family: 'evm',
    label: 'BNB Smart Chain',
    network: 'bnb',
    testnet: false,
    sandbox: SEPOLIA,
    blockMs: 750,
    refundCents: 20n,
    minimumCents: 10n,
    explorer: 'https://bscscan.com/tx/{}',
    confirmations: 3,
    tipGwei: { min: 0.05, max: 20 },
  },
  {
    chainId: 137,
    family: 'evm',
    label: 'Polygon',
    network: 'polygon',
    testnet: false,
    sandbox: SEPOLIA,
    blockMs: 2_000,
    refundCents: 5n,
    minimumCents: 10n,
    explorer: 'https://polygonscan.com/tx/{}',
    confirmations: 32,
    tipGwei: { min: 25, max: 1_000 },
  },
  {
    chainId: 8453,
    family: 'evm',
    label: 'Base',
    network: 'base',
    testnet: false,
    sandbox: BASE_SEPOLIA,
    blockMs: 2_000,
    refundCents: 5n,
    minimumCents: 10n,
    explorer: 'https://basescan.org/tx/{}',
    confirmations: 3,
    tipGwei: { min: 0.001, max: 2 },
  },
  {
    chainId: 42161,
    family: 'evm',
    label: 'Arbitrum One',
    network: 'arbitrum',
    testnet: false,
    sandbox: SEPOLIA,
    blockMs: 250,
    refundCents: 5n,
    minimumCents: 10n,
    explorer: 'https://arbiscan.io/tx/{}',
    confirmations: 3,
    tipGwei: { min: 0, max: 2 },
  },
  {
    chainId: 101,
    family: 'solana',
    label: 'Solana',
    network: 'solana',
    testnet: false,
    sandbox: SOLANA_DEVNET,
    blockMs: 400,
    refundCents: 50n,
    minimumCents: 10n,
    explorer: 'https://explorer.solana.com/tx/{}',
    genesisHash: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
  },
  {
    chainId: SEPOLIA,
    family: 'evm',
    label: 'Sepolia',
    network: 'sepolia',
    ...SANDBOX,
    sandbox: SEPOLIA,
    blockMs: 12_000,
    explorer: 'https://sepolia.etherscan.io/tx/{}',
    confirmations: 6,
    tipGwei: { min: 0.001, max: 50 },
  },
  {
    chainId: BASE_SEPOLIA,
    family: 'evm',
    label: 'Base Sepolia',
    network: 'base-sepolia',
    ...SANDBOX,
    sandbox: BASE_SEPOLIA,
    blockMs: 2_000,
    explorer: 'https://sepolia.basescan.org/tx/{}',
    confirmations: 3,
    tipGwei: { min: 0.001, max: 2 },
  },
  {
    chainId: SOLANA_DEVNET,
    family: 'solana',
    label: 'Solana devnet',
    network: 'solana-devnet',
    ...SANDBOX,
    sandbox: SOLANA_DEVNET,
    blockMs: 400,
    explorer: 'https://explorer.solana.com/tx/{}?cluster=devnet',
    genesisHash: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxkrZBG',
  },
];

export const LOCAL_EVM_CHAIN: EvmChainRow = {
  chainId: 31337,
  family: 'evm',
  label: 'Local EVM',
  network: 'local-evm',
  ...SANDBOX,
  sandbox: 31337,
  blockMs: 200,
  explorer: null,
  confirmations: 1,
  tipGwei: { min: 0, max: 50 },
};

export const LOCAL_SOLANA_CHAIN: SolanaChainRow = {
  chainId: 104,
  family: 'solana',
  label: 'Local Solana',
  network: 'local-solana',
  ...SANDBOX,
  sandbox: 104,
  blockMs: 200,
  explorer: null,
  genesisHash: null,
};

/** One token with such a ticker counts as one US dollar, without a rate (docs/rules.md, "Money"). */
export const DOLLAR_TICKERS: ReadonlySet<string> = new Set(['USDC', 'USDT']);

/** The tokens of the public chains. The comment above each row names the source of the address. */
export const TOKEN_ROWS: readonly TokenRow[] = [
  // Circle, "USDC Contract Addresses" (developers.circle.com/stablecoins/usdc-contract-addresses), mainnet table:
  // Ethereum.
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

function token(
  chainId: number,
  ticker: string,
  decimals: number,
  address: string,
  symbols?: readonly string[],
): TokenRow {
  return { chainId, ticker, decimals, address, ...(symbols ? { symbols } : {}) };
}
