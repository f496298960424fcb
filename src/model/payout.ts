import type { Catalog } from '../chains/catalog.ts';
import type { ChainFamily, DestinationWallets } from '../store/collections.ts';
import type { Tenant } from '../store/documents.ts';
import type { PaymentAttributes } from './payment.ts';

/** The query for the payout address of a cycle's payment; null: its token is not in the catalog. */
export function payoutQuestion(
  catalog: Catalog,
  { tokenKey, chainId, destination }: PaymentAttributes,
): PayoutQuestion | null {
  const family = catalog.tokenByKey(tokenKey)?.family;
  return family === undefined ? null : { tokenKey, chainId, family, fallback: destination };
}

/** The token to pay out, and the fallback if no wallet is registered for it. */
export interface PayoutQuestion {
  readonly tokenKey: string;
  readonly chainId: number;
  readonly family: ChainFamily;
  /** The pricing option's `merchantDestinationWallet`. */
  readonly fallback: DestinationWallets | null;
}

/** The payout addresses of merchants, as of one read of their wallets. */
export interface Payouts {
  /**
   * The payout address for a token (docs/rules.md, "Money": Payout destination): its registered wallet; else the
   * option's own destination; else the merchant's longest-registered wallet for another token of the same chain; else
   * null, and the charge is not attempted.
   */
  destination(tenant: Tenant, question: PayoutQuestion): string | null;
  /**
   * That address, then those that come or came before it in this order: what a payer signed earlier is among the later
   * ones.
   */
  destinations(tenant: Tenant, question: PayoutQuestion): readonly Destination[];
}

/** `until`: when another address replaced it; null: it is a destination now. */
export interface Destination {
  readonly address: string;
  readonly until: Date | null;
}

/** Reads the wallets of these merchants, however many, in one query per mode. */
export type PayoutsOf = (tenants: readonly Tenant[]) => Promise<Payouts>;
