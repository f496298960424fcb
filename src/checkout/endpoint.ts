import { endpointFor } from '../http/endpoint.ts';
import type { MerchantDoc } from '../store/collections.ts';

/** The caller of the checkout API: anybody, without an identity. */
export interface Visitor {
  /**
   * Counts a new payment session: of this wallet, which has signed, or with null of the visitor's IP address. Throws
   * 429 above the limit of a day (docs/rules.md, "Limits").
   */
  readonly countPaymentSession: (wallet: string | null) => Promise<void>;
  /** Counts a new sign-up at this merchant from the visitor's network. Throws 429 above the limit of a day. */
  readonly countSignUp: (merchant: Pick<MerchantDoc, '_id' | 'limitFactor'>) => Promise<void>;
}

/** An endpoint of the checkout API, which only the pages use. */
export const checkoutEndpoint = endpointFor<Visitor>();
