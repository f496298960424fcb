import type { Challenged } from '../../src/billing/checkout/sign.ts';
import type { Chain, ChargeListener, RefundTransaction } from '../../src/chains/port.ts';
import type { Log } from '../../src/observability/log.ts';
import type { ChainFamily } from '../../src/store/collections.ts';
import type { LedgerStore } from '../../src/store/port.ts';
import type { Random } from '../crashtest/random.ts';
import type { Life } from './life.ts';
import type { Mishaps } from './mishaps.ts';
import type { VirtualTime } from './time.ts';
import type { Trace } from './trace.ts';

/** A charge as a chain shows it. Base units. */
export interface SimulatedCharge {
  readonly key: string;
  /** The wallet, or the deposit's address. */
  readonly payer: string;
  readonly gross: bigint;
  readonly txHash: string;
  readonly block: number;
}

/** Tokens that one wallet got from another in a transaction. Base units. */
export interface SimulatedTransfer {
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
  readonly txHash: string;
}

/** What a page asks a wallet to sign. */
export type ToSign = Pick<Challenged, 'message' | 'mandate'>;

/** The parts of a process that a chain of the product needs. */
export interface Process {
  readonly life: Life;
  readonly store: LedgerStore;
  readonly clock: () => Date;
  readonly fault: (point: string) => Promise<void>;
  readonly log: Log;
  readonly listener: ChargeListener;
  readonly mishaps: Mishaps;
}

/** An operator of a merchant, mode `test`: the one for mandates, or the open one. */
export interface Spender {
  readonly merchantId: string;
  readonly isBounded: boolean;
}

/** What drives a chain's blocks. */
export interface Pace {
  readonly time: VirtualTime;
  readonly mishaps: Mishaps;
  readonly random: Random;
  readonly trace: Trace;
  /** Is called after every block. `mayHaveCharges`: charges may have changed. */
  readonly onBlock: (mayHaveCharges: boolean) => void;
}

/** What wallets and the token's owner do. Each act waits for its block. Base units of the chain's token. */
export interface ChainControls {
  /** A new wallet that nobody uses on this chain. */
  stranger(): string;
  /** A new wallet that can sign. */
  payer(): string;
  /** The signature of a payer: over the typed data, or over the text where there is none. */
  sign(payer: string, asked: ToSign): string;
  /** The payer ends an agreement by a transaction of its own: on Solana all that it has approved. */
  revoke(payer: string, merchantId: string, agreement: string): void;
  mint(wallet: string, amount: bigint): void;
  /** Approves an operator; 0 ends the approval. */
  approve(wallet: string, spender: Spender, amount: bigint): void;
  transfer(from: string, to: string, amount: bigint): void;
  /** The wallet sends what the service has drafted for it. */
  send(wallet: string, drafted: readonly RefundTransaction[]): void;
  /** Sends the whole balance away. */
  spendAll(wallet: string): void;
  /** Makes transfers from the wallet fail, or work again. */
  freeze(wallet: string, on: boolean): void;
  /** Makes transfers to the wallet fail, or work again. */
  refuse(wallet: string, on: boolean): void;
}

/** A simulated chain with one token, whatever its family. */
export interface SimulatedChain {
  readonly family: ChainFamily;
  readonly chainId: number;
  readonly tokenKey: string;
  readonly controls: ChainControls;
  /** The product's chain in one process. */
  open(process: Process): Chain;
  /** Makes blocks, with faults, until the run ends. */
  drive(pace: Pace): void;
  /** Makes a block of all waiting transactions. */
  settle(): Promise<void>;
  /** Ends the faults on this chain, and undoes their lasting effects. */
  calm(): void;
  /** The number of transactions that wait for a block. */
  waiting(): number;
  charges(): readonly SimulatedCharge[];
  /** The transfers of the token on the current chain. */
  transfers(): readonly SimulatedTransfer[];
  balanceOf(wallet: string): bigint;
  allowanceOf(wallet: string, spender: Spender): bigint;
  /** Money at addresses that must be empty, as text for people. */
  residues(): string[];
  /** Frees the chain. Call it once, after the last use. */
  end(): void;
}

/** A chain on which a shop sells, and the addresses of its money there. */
export interface Till {
  readonly chain: SimulatedChain;
  readonly payout: string;
  readonly splitTo: string;
}
