import type { Store } from '../../src/store/port.ts';
import type { ErrorLog } from './error-log.ts';
import type { Wallets } from './view.ts';

/** A merchant with its two keys. */
export interface Merchant {
  readonly id: string;
  readonly testKey: string;
  readonly liveKey: string;
}

/** A service that can be asked over HTTP, in this process. */
export interface FuzzWorld {
  /** Where it listens, on loopback. */
  readonly port: number;
  readonly store: Store;
  readonly errors: ErrorLog;
  /** The third of the payers allows everything and has nothing. */
  readonly wallets: Wallets;
  /** The clock of the service. */
  now(): Date;
  /** A request is about to be sent: where the clock stands still, this moves it. */
  tick(): void;
  newMerchant(name: string): Promise<Merchant>;
  stop(): Promise<void>;
}
