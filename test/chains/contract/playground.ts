import type { Chain } from '../../../src/chains/port.ts';
import type { ChargeDoc, ShareRole } from '../../../src/store/collections.ts';
import type { Called } from '../evm/proxy.ts';
import type { ChainBench, SharedWish } from '../support/bench.ts';

/** What left a wallet, as the chain itself tells it. */
export interface Pull {
  readonly amount: bigint;
  readonly txHash: string;
}

export interface Grant {
  readonly balance?: bigint;
  readonly allowance?: bigint;
}

export interface PlayWish extends SharedWish {
  /** Charges that a lane takes at once. */
  readonly charges?: number;
}

/** A store and a listener, and chains of the playground's family on them. */
export type PlayBench = Pick<
  ChainBench<SharedWish>,
  'listener' | 'records' | 'charge' | 'read' | 'until' | 'untilState' | 'stop'
> & { play(wish?: PlayWish): Chain };

/** A chain of one family with everything that the contract needs on it. Money is of one token of 6 decimals. */
export interface Playground {
  readonly chainId: number;
  readonly rpcUrl: string;
  readonly token: string;
  readonly merchant: string;
  readonly platform: string;
  bench(): PlayBench;
  /** A wallet of its own with tokens, which has approved this merchant's operator; without limits unless said otherwise. */
  payer(merchantId: string, grant?: Grant): Promise<string>;
  /** A wallet of its own with nothing. */
  stranger(): string;
  approve(wallet: string, merchantId: string, amount: bigint): Promise<void>;
  mint(wallet: string, amount: bigint): Promise<void>;
  /** The wallet sends so much away. */
  spend(wallet: string, amount: bigint): Promise<void>;
  /** The wallet sends so much to another, and signs for it itself. */
  send(wallet: string, to: string, amount: bigint): Promise<void>;
  /** From now on its transfers fail. */
  freeze(wallet: string): Promise<void>;
  /** A wallet to which every transfer fails. */
  refuser(): Promise<string>;
  charge(wish: {
    readonly from: string;
    readonly merchantId?: string;
    readonly gross?: bigint;
    readonly shares?: readonly (readonly [role: ShareRole, to: string, amount: bigint])[];
    readonly key?: string;
    readonly attempt?: number;
  }): ChargeDoc;
  balanceOf(wallet: string): Promise<bigint>;
  /** What left the wallet by its operators, oldest first. */
  pulls(wallet: string): Promise<Pull[]>;
  /** While held, nothing that is sent gets into a block. */
  hold(on: boolean): Promise<void>;
  /** The chain goes on until what is in a block is never undone. */
  finalize(): Promise<void>;
  /** Takes what fees are paid with from the first sender; the returned function gives it back. */
  impoverish(): Promise<() => Promise<void>>;
  isBroadcast(call: Called): boolean;
  /** How the address stands in watches. */
  comparable(wallet: string): string;
  stop(): Promise<void>;
}
