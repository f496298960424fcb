import type { RpcCall, RpcTransport } from '../../../src/chains/rpc.ts';
import type { Answer } from './transport.ts';
import type { SimEvmOptions, SimEvmWorld } from './world.ts';

/** A transfer of tokens in a block of the chain as it is now; mints and burns are none. Addresses are EIP-55. */
export interface SimTransfer {
  readonly token: string;
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
  readonly txHash: string;
  readonly block: number;
}

/** A charge that the router has made, in a block of the chain as it is now. Addresses are EIP-55. */
export interface SimCharge {
  readonly key: string;
  readonly token: string;
  readonly from: string;
  readonly gross: bigint;
  readonly txHash: string;
  readonly block: number;
}

/**
 * What becomes of the transactions of blocks that fall out. `again`: the new blocks have the same ones. `reordered`: the first
 * new block has as many as it can, senders in another order. `later`: they wait for the next block after the reorganisation.
 * `never`: nobody knows them any more, but for what wallets have sent themselves (`act`), which waits.
 */
export type ReorgHow = 'again' | 'reordered' | 'later' | 'never';

export interface MineOptions {
  /** At most so many transactions of the pool; all that fit by default. */
  readonly most?: number;
}

/**
 * A simulated EVM node, and the hands of whoever drives it. Everything happens at once: nothing waits, nothing is on a timer.
 * What wallets do themselves (`act` and what is made of it) costs no gas, needs no signature, and is in the pool until the
 * next block, before everything else there.
 */
export interface SimEvm {
  readonly world: SimEvmWorld;
  /** What the node says to one JSON-RPC call. */
  readonly answer: Answer;
  /** The same as a transport without faults. */
  readonly transport: RpcTransport;
  /** Every call that has been answered; for those who count. */
  onCall: (call: RpcCall) => void;
  readonly head: number;
  /** Wei per gas that the next block asks for. */
  baseFee: bigint;
  /** Makes a block of what waits in the pool and may be in it; its number. */
  mine(options?: MineOptions): number;
  /** The last `depth` blocks (never the first of the chain) are replaced by as many others. */
  reorg(depth: number, how: ReorgHow): void;
  /** The pool forgets this transaction; false: it did not have it. */
  drop(hash: string): boolean;
  /** Hashes of what waits, in the order of arrival. */
  pool(): readonly string[];
  /** Oldest first; of all tokens unless one is named. */
  transfers(token?: string): SimTransfer[];
  /** Oldest first. */
  charges(): SimCharge[];
  balanceOf(wallet: string, token?: string): bigint;
  allowance(wallet: string, operator: string, token?: string): bigint;
  /** Of the native coin, wei. */
  gasOf(account: string): bigint;
  /** From now on, and in no block: as a faucet does it. */
  setGas(account: string, wei: bigint): void;
  /** `from` calls `to`; the hash of its transaction. */
  act(from: string, to: string, data: string): string;
  mint(wallet: string, amount: bigint, token?: string): string;
  /** Approves the operator of a merchant of the mode `test`. */
  approve(wallet: string, merchantId: string, amount: bigint, token?: string): string;
  transfer(from: string, to: string, amount: bigint, token?: string): string;
  /** From now on its transfers revert, or no longer. */
  freeze(wallet: string, on: boolean, token?: string): string;
  /** From now on transfers to it revert, or no longer. */
  refuse(wallet: string, on: boolean, token?: string): string;
  /** The router's owner pauses it, or lets it go on. */
  pause(on: boolean): string;
  /** A wallet of nobody's that exists nowhere else on this chain. */
  stranger(): string;
}

export function createSimEvm(_options: SimEvmOptions): SimEvm {
  throw new Error('not there yet');
}
