import type { StaffApi } from '../scripts/lib/staff.ts';
import type { LedgerStore } from '../src/store/port.ts';
import type { Expectations } from './expectations.ts';
import type { LocalChain } from './local-chain.ts';
import type { Narrator } from './narrator.ts';

/** As `fetch`, for one request. */
export type Fetch = (request: Request) => Promise<Response>;

/** What merchants and payers act in: a running service, its chain and clock, and the expectations of the story. */
export interface Setting {
  /** The service's URL without the version segment. */
  readonly url: string;
  readonly dataDir: string;
  readonly chain: LocalChain;
  /** Whether the service delivers webhooks to this machine. */
  readonly hasWebhooks: boolean;
  readonly expect: Expectations;
  readonly narrator: Narrator;
  /** Sends the requests of the merchants' clients. */
  readonly fetch: Fetch;
  /** The service's clock. */
  now(): Date;
  staff(): StaffApi;
  /** The store of the service, read beside it. */
  store(): Promise<LedgerStore>;
  /** Registers work for the end; the last comes first. */
  onStop(stop: () => Promise<unknown>): void;
}
