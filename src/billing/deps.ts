import type { Catalog } from '../chains/catalog.ts';
import type { MandateReader } from '../chains/mandate-reader.ts';
import type { Chains } from '../chains/port.ts';
import type { Engine } from '../engine/engine.ts';
import type { PayoutsOf } from '../model/payout.ts';
import type { Log } from '../observability/log.ts';
import type { DestinationWallets } from '../store/collections.ts';
import type { Ledger, Store } from '../store/port.ts';

export interface BillingDeps {
  readonly store: Store;
  /** null in a process that only serves requests. */
  readonly ledger: Ledger | null;
  readonly engine: Engine;
  readonly catalog: Catalog;
  readonly chains: Chains;
  readonly mandates: MandateReader;
  readonly clock: () => Date;
  readonly log: Log;
  readonly payoutsOf: PayoutsOf;
  readonly platformWallets: DestinationWallets;
}

/** What needs plain documents and the time alone. */
export interface RecordsDeps {
  readonly store: Pick<Store, 'records'>;
  readonly clock: () => Date;
}

/** The dependencies of the effects that only workers run. */
export type WorkerDeps = BillingDeps & { readonly ledger: Ledger };
