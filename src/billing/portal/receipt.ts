import { notFound } from '../../errors/fault.ts';
import { isByBalance } from '../../model/deposit.ts';
import { paymentAttributes } from '../../model/payment.ts';
import { subscriptionAttributes } from '../../model/subscription.ts';
import { timeZoneOf } from '../../model/time-zones.ts';
import type { MerchantDoc } from '../../store/collections.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { Store } from '../../store/port.ts';
import { tenantStore } from '../../store/tenant.ts';
import { findInvoice, isInvoiced, type PaymentInvoice } from '../receipts/invoices.ts';
import type { ReceiptLinks } from '../receipts/links.ts';
import { offerNameOf } from '../receipts/offer-name.ts';
import { merchantsOf, type OwnSubscription, ownSubscription } from './own-subscription.ts';
import type { OwnPayment } from './portal.ts';

interface ReceiptDeps {
  readonly store: Store;
  readonly clock: () => Date;
  readonly receipts: ReceiptLinks;
}

/** `payment`: it is settled. `agreement`: a subscription as it was agreed, for example for a trial. */
export type Receipt = ReceiptOf & {
  /** Of its customer, else of the merchant. */
  readonly timeZone: string;
};

type ReceiptOf =
  | {
      readonly kind: 'payment';
      readonly payment: OwnPayment;
      readonly invoice: PaymentInvoice | null;
      /** Whether an invoice is still to come. */
      readonly isInvoiceDue: boolean;
      /** The transactions that brought the money to a deposit address; empty: a wallet was charged. */
      readonly transfers: readonly string[];
    }
  | { readonly kind: 'agreement'; readonly subscription: OwnSubscription };

/**
 * The receipt at an address, for whoever has it, also of a suspended merchant. Throws 404 for a wrong secret, and for a
 * payment that is not settled.
 */
export async function findReceipt(deps: ReceiptDeps, id: string, secret: string): Promise<Receipt> {
  if (!(await deps.receipts.opens(id, secret))) throw notFound();
  const { actors } = deps.store;
  const [payment] = await actors.load('payment', [id]);
  if (payment?.status === 'settled') return paymentReceipt(deps, payment);
  const [subscription] = await actors.load('subscription', [id]);
  if (subscription === undefined) throw notFound();
  const merchantOf = await merchantsOf(deps, [subscription]);
  const merchant = merchantOf(subscription);
  const { customerId } = subscriptionAttributes.parse(subscription.attributes);
  return {
    kind: 'agreement',
    subscription: ownSubscription(subscription, merchant, deps.clock()),
    timeZone: await zoneOf(deps, subscription, merchant, customerId),
  };
}

async function zoneOf({ store }: ReceiptDeps, doc: ActorDoc, merchant: MerchantDoc, customerId: string | null) {
  const customer = customerId === null ? null : await tenantStore(store, doc).record('customers', customerId);
  return timeZoneOf(customer ?? {}, merchant);
}

async function paymentReceipt(deps: ReceiptDeps, doc: ActorDoc): Promise<Receipt> {
  const [merchantOf, found, offerName, [deposit]] = await Promise.all([
    merchantsOf(deps, [doc]),
    findInvoice(deps.store, doc),
    offerNameOf(deps.store, doc),
    deps.store.records.get('deposits', [doc._id]),
  ]);
  const used = (deposit?.arrivals ?? []).filter((arrival) => !isByBalance(arrival) && arrival.charged !== '0');
  const merchant = merchantOf(doc);
  return {
    kind: 'payment',
    timeZone: await zoneOf(deps, doc, merchant, paymentAttributes.parse(doc.attributes).customerId),
    invoice: found,
    isInvoiceDue: found === null && isInvoiced(merchant, doc),
    payment: { doc, merchant, offerName, hasProof: false, receiptPath: null },
    transfers: [...new Set(used.flatMap(({ txHash }) => txHash ?? []))],
  };
}
