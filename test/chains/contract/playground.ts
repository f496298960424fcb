import type { Consent } from '../../../src/chains/consent.ts';
import type { Chain } from '../../../src/chains/port.ts';
import type { ChargeDoc, ShareRole } from '../../../src/store/collections.ts';
import type { Called } from '../evm/proxy.ts';
import type { ChainBench, SharedWish } from '../support/bench.ts';

/** A pull from a wallet in the chain's own record. */
export interface Pull {
  readonly amount: bigint;
  readonly txHash: string;
}

/** The movements of charges in the chain's own record: by transaction, the gain (or loss) of each wallet. */
type Movements = ReadonlyMap<string, ReadonlyMap<string, bigint>>;

interface Grant {
  readonly balance?: bigint;
  readonly allowance?: bigint;
}

export interface PlayWish extends SharedWish {
  /** The charges that a signing queue takes at once. */
  readonly charges?: number;
}

/** A store, a listener, and chains of the playground's family on them. */
export type PlayBench = Pick<
  ChainBench<SharedWish>,
  'listener' | 'logged' | 'records' | 'charge' | 'read' | 'until' | 'untilState' | 'stop'
> & { play(wish?: PlayWish): Chain };

/** A chain of one family for the contract suite. Money is one token with 6 decimals. */
export interface Playground {
  readonly chainId: number;
  readonly rpcUrl: string;
  readonly token: string;
  readonly merchant: string;
  readonly platform: string;
  /** What its payers have consented to. Absent: the open operator. */
  readonly consent?: Consent;
  bench(): PlayBench;
  /** A new wallet with tokens that has approved this merchant's operator; without limits by default. */
  payer(merchantId: string, grant?: Grant): Promise<string>;
  /** A new wallet without anything. */
  stranger(): string;
  approve(wallet: string, merchantId: string, amount: bigint): Promise<void>;
  mint(wallet: string, amount: bigint): Promise<void>;
  /** The wallet sends this amount away. */
  spend(wallet: string, amount: bigint): Promise<void>;
  /** The wallet sends this amount to another wallet, and signs the transfer itself. */
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
  /** The operators' pulls from the wallet, oldest first. */
  pulls(wallet: string): Promise<Pull[]>;
  movements(): Promise<Movements>;
  /** Addresses that move money but must never keep any: merchants' operators, the router. */
  readonly passers: readonly string[];
  /** While on, no sent transaction gets into a block. */
  hold(on: boolean): Promise<void>;
  /** Lets blocks pass until the current ones are final. */
  finalize(): Promise<void>;
  /** Takes the first sender's fee balance; the returned function gives it back. */
  impoverish(): Promise<() => Promise<void>>;
  isBroadcast(call: Called): boolean;
  /** The form of the address in watches. */
  comparable(wallet: string): string;
  stop(): Promise<void>;
}

/** Adds to a wallet's gain in a transaction. */
export function note(moved: Map<string, Map<string, bigint>>, txHash: string, wallet: string, amount: bigint): void {
  const wallets = moved.get(txHash) ?? new Map<string, bigint>();
  wallets.set(wallet, (wallets.get(wallet) ?? 0n) + amount);
  moved.set(txHash, wallets);
}
