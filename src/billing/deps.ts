import type { Catalog } from '../chains/catalog.ts';
import type { Chains } from '../chains/port.ts';
import type { Engine } from '../engine/engine.ts';
import type { Log } from '../engine/types.ts';
import type { ChainFamily, DestinationWallets } from '../store/collections.ts';
import type { Store } from '../store/port.ts';
import type { Tenant } from '../store/tenant.ts';

/** Where a token's money goes for a merchant now, or null (decisions, "Money": Payout destination). */
export type PayoutDestination = (
  tenant: Tenant,
  token: {
    readonly tokenKey: string;
    readonly chainId: number;
    readonly family: ChainFamily;
    readonly fallback: DestinationWallets | null;
  },
) => Promise<string | null>;

/** What the billing of actors stands on. */
export interface BillingDeps {
  readonly store: Store;
  readonly engine: Engine;
  readonly catalog: Catalog;
  readonly chains: Chains;
  readonly clock: () => Date;
  readonly log: Log;
  readonly payoutDestination: PayoutDestination;
  readonly platformWallets: DestinationWallets;
}
