import type { Store } from '../../src/store/port.ts';
import type { ErrorLog } from './damage.ts';
import type { Wallets } from './known.ts';

export interface Merchant {
  readonly id: string;
  readonly testKey: string;
  readonly liveKey: string;
}

/** A service in this process with an HTTP port. */
export interface FuzzWorld {
  /** Its port on loopback. */
  readonly port: number;
  readonly store: Store;
  readonly errors: ErrorLog;
  /** The third payer has approved everything and has no money. */
  readonly wallets: Wallets;
  /** The clock of the service. */
  now(): Date;
  /** Call it before each request. It advances a clock that stands still. */
  tick(): void;
  newMerchant(name: string): Promise<Merchant>;
  stop(): Promise<void>;
}
