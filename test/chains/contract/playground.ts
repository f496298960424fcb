import type { Chain } from '../../../src/chains/port.ts';
import type { ChargeDoc, ShareRole } from '../../../src/store/collections.ts';
import type { Called } from '../evm/proxy.ts';
import type { ChainBench, SharedWish } from '../support/bench.ts';

/** What left a wallet, as the chain itself tells it. */
export interface Pull {
  readonly amount: bigint;
  readonly txHash: string;
}

/** What the transactions of charges moved, as the chain itself tells it: by transaction, what each wallet has got (or lost). */
export type Movements = ReadonlyMap<string, ReadonlyMap<string, bigint>>;

export interface Grant {
  readonly balance?: bigint;
  readonly allowance?: bigint;
}

export interface PlayWish extends SharedWish {
  /** Charges that a signing queue takes at once. */
  readonly charges?: number;
}

/** A store and a listener, and chains of the playground's family on them. */
export type PlayBench = Pick<
  ChainBench<SharedWish>,
  'listener' | 'logged' | 'records' | 'charge' | 'read' | 'until' | 'untilState' | 'stop'
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
  /** From now on every transfer to it fails. */
  refuse(wallet: string): Promise<void>;
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
  movements(): Promise<Movements>;
  /** Whoever takes part in moving money and must never have any: merchants' operators, the router. */
  readonly passers: readonly string[];
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

/** Adds to what a wallet has got in a transaction. */
export function note(moved: Map<string, Map<string, bigint>>, txHash: string, wallet: string, amount: bigint): void {
  const wallets = moved.get(txHash) ?? new Map<string, bigint>();
  wallets.set(wallet, (wallets.get(wallet) ?? 0n) + amount);
  moved.set(txHash, wallets);
}
