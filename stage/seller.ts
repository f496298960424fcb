import type { Payment, Tideline } from 'tideline/client';
import type { Setting } from './setting.ts';

export interface OnSale {
  readonly offerId: string;
  readonly priceId: string;
}

/** A merchant, as far as its payers and their subscriptions need it. */
export interface Seller {
  readonly stage: Setting;
  readonly api: Tideline;
  /** The address that payers approve for payments and subscriptions that the merchant makes by the API. */
  readonly operator: string;
  /** Its payments, the newest first. */
  payments(filter?: PaymentFilter): Promise<Payment[]>;
  /** Checks the events that a resource has sent so far, and that there is no other. */
  expectEvents(resource: string, expected: readonly string[]): Promise<void>;
}

export interface PaymentFilter {
  readonly status?: Payment['status'];
  readonly subscriptionId?: string;
}
