import type { EvmChainConfig } from '../../../src/chains/evm/chain.ts';

/** Nothing in a simulation knows another time or another chance than these. */
export interface SimSource {
  /** Milliseconds of Unix time; never goes back. */
  readonly now: () => number;
  /** At least 0 and less than 1. */
  readonly random: () => number;
}

/** What a token does besides what it should: nothing, keep a hundredth of every transfer, or answer false instead of reverting. */
export type TokenFlaw = 'none' | 'fee' | 'false';

export interface SimTokenWish {
  /** Also its symbol; its name is `Test <ticker>`. */
  readonly ticker: string;
  readonly decimals: number;
  readonly flaw?: TokenFlaw;
}

export interface SimToken extends Required<SimTokenWish> {
  /** EIP-55. */
  readonly address: string;
}

export interface SimEvmOptions extends SimSource {
  /** 31337 by default. */
  readonly chainId?: number;
  /** USDC with 6 decimals and USDT with 18 by default. */
  readonly tokens?: readonly SimTokenWish[];
  /** How many senders the router has, each with 10,000 of the native coin; 2 by default. */
  readonly senders?: number;
  /** What the product is told: how far apart blocks are. The chain itself has a block where it is told to. 2,000 by default. */
  readonly blockMs?: number;
  /** Blocks, its own included, that make a transaction final; 1 by default. */
  readonly confirmations?: number;
  /** How far `finalized` is behind the newest block; null: the node does not know the tag. 2 by default. */
  readonly finalizedDepth?: number | null;
  /** Whether Multicall3 is there; true by default. */
  readonly hasMulticall?: boolean;
}

/** Who and what is on a simulated chain from its first block. Addresses are EIP-55. */
export interface SimEvmWorld {
  readonly chainId: number;
  readonly router: string;
  /** Owns the router and the tokens. */
  readonly owner: string;
  readonly tokens: readonly [SimToken, ...SimToken[]];
  /** Private keys. */
  readonly senderKeys: readonly string[];
  readonly senders: readonly string[];
  /** What an `EvmChain` is configured with, apart from its deps. `rpcUrls` is a name: `openRpc` is what reaches the node. */
  readonly config: EvmChainConfig;
}
