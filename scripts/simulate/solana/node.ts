import type { RpcTransport } from '../../../src/chains/rpc.ts';
import type { SolanaChainConfig } from '../../../src/chains/solana/chain.ts';
import type { SolanaWorld } from '../../../src/devnet/solana-world.ts';
import type { Answer } from '../evm/transport.ts';
import type { SimSource } from '../evm/world.ts';

export interface SimSolanaOptions extends SimSource {
  /** 104 by default. */
  readonly chainId?: number;
  /** How long a slot is, milliseconds of the clock given; 400 by default. */
  readonly slotMs?: number;
}

/** What has left a token account, or come into it, in a transaction that has landed. Addresses are base58 of the owners. */
export interface SimSolanaTransfer {
  readonly token: string;
  readonly owner: string;
  /** Negative: has left. */
  readonly amount: bigint;
  readonly signature: string;
  readonly slot: number;
  /** The charge's key where the transaction is one of the product's. */
  readonly memo: string | null;
}

/** A simulated Solana node, and the hands of whoever drives it. Slots, and with them expiry, follow from the clock given. */
export interface SimSolana {
  readonly world: SolanaWorld;
  /** What a `SolanaChain` is configured with, apart from its deps; `openRpc` is what reaches the node. */
  readonly config: SolanaChainConfig;
  /** What the node says to one JSON-RPC call. */
  readonly answer: Answer;
  /** The same as a transport without faults. */
  readonly transport: RpcTransport;
  /** The slot of the present. */
  readonly slot: number;
  /** Carries out what waits and has not expired, in the slot of the present; how many there were. */
  tick(): number;
  /** The next `count` transactions are taken and never carried out. */
  drop(count: number): void;
  /** Jumps ahead by so many slots. */
  skip(slots: number): void;
  /** Oldest first. */
  movements(): SimSolanaTransfer[];
  balanceOf(wallet: string, ticker?: string): bigint;
  /** A wallet with tokens that has this delegate for so much (of its merchant, mode `test`), from now on; its address. */
  payer(
    merchantId: string,
    grant?: { readonly balance?: bigint; readonly allowance?: bigint; readonly ticker?: string },
  ): string;
  /** At once, besides all rules, as a genesis does: how the wallet's token account is from now on. */
  put(
    wallet: string,
    how: {
      readonly balance?: bigint;
      readonly merchantId?: string | null;
      readonly allowance?: bigint;
      readonly isFrozen?: boolean;
    },
    ticker?: string,
  ): void;
  /** A wallet of nobody's that exists nowhere else on this chain. */
  stranger(): string;
  close(): void;
}

export function createSimSolana(_options: SimSolanaOptions): SimSolana {
  throw new Error('not there yet');
}
