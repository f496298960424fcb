import type { Chain, ChargeListener } from '../../src/chains/port.ts';
import type { Log } from '../../src/observability/log.ts';
import type { ChainFamily } from '../../src/store/collections.ts';
import type { Store } from '../../src/store/port.ts';
import type { Random } from '../crashtest/random.ts';
import type { Life } from './life.ts';
import type { Mishaps } from './mishaps.ts';
import type { VirtualTime } from './time.ts';
import type { Trace } from './trace.ts';

/** A charge as a chain shows it. Base units. */
export interface SimulatedCharge {
  readonly key: string;
  readonly gross: bigint;
  readonly txHash: string;
  readonly block: number;
}

/** What the product's chain needs of the process that it runs in. */
export interface Process {
  readonly life: Life;
  readonly store: Store;
  readonly clock: () => Date;
  readonly fault: (point: string) => Promise<void>;
  readonly log: Log;
  readonly listener: ChargeListener;
  readonly mishaps: Mishaps;
}

/** How a chain is to have its blocks. */
export interface Pace {
  readonly time: VirtualTime;
  readonly mishaps: Mishaps;
  readonly random: Random;
  readonly trace: Trace;
  /** Hears of every block, when it is there, and whether charges may be in others than before. */
  readonly onBlock: (isLaden: boolean) => void;
}

/**
 * What wallets and the token's owner do. Each is a transaction of its own, in a block when its time has come. Amounts are
 * base units of the place's token.
 */
export interface ChainControls {
  /** A wallet of nobody's that is nowhere else on this chain. */
  stranger(): string;
  mint(wallet: string, amount: bigint): void;
  /** Approves a merchant's operator of the mode `test`; 0 takes it back. */
  approve(wallet: string, merchantId: string, amount: bigint): void;
  transfer(from: string, to: string, amount: bigint): void;
  /** It gives away all that it has. */
  spendAll(wallet: string): void;
  /** From now on nothing can be taken from it, or again. */
  freeze(wallet: string, on: boolean): void;
  /** From now on nothing arrives there, or again. */
  refuse(wallet: string, on: boolean): void;
}

/** A simulated chain with one token of it, as everybody sees it who does not care what family it is of. */
export interface SimulatedChain {
  readonly family: ChainFamily;
  readonly chainId: number;
  readonly tokenKey: string;
  readonly controls: ChainControls;
  /** The product's chain, as one process reaches it. */
  open(process: Process): Chain;
  /** Lets the chain have its blocks, one after the other for as long as the run goes on, and what befalls them. */
  drive(pace: Pace): void;
  /** A block with all that waits. */
  settle(): void;
  /** Nothing befalls the chain any more: what was made difficult is easy again. */
  calm(): void;
  /** How many transactions wait for a block. */
  waiting(): number;
  /** Oldest first, of the chain as it is now. */
  charges(): readonly SimulatedCharge[];
  balanceOf(wallet: string): bigint;
  /** What the operator of a merchant (mode `test`) may take from the wallet. */
  allowanceOf(wallet: string, merchantId: string): bigint;
  /** What lies where nothing may stay, for people. */
  residues(): string[];
  /** Once, when nothing of it is used any more. */
  end(): void;
}

/** A place in a merchant's shop, and where its money goes there. */
export interface Till {
  readonly place: SimulatedChain;
  readonly payout: string;
  readonly splitTo: string;
}
