import { Fault } from '../../errors/fault.ts';
import { invoiceNumber } from '../../model/invoice.ts';
import { settledAtOf } from '../../model/payment.ts';
import type { InvoiceDoc, MerchantDoc } from '../../store/collections.ts';
import type { ActorDoc, Tenant } from '../../store/documents.ts';
import type { Store } from '../../store/port.ts';
import { tenantStore } from '../../store/tenant.ts';

type Reader = Pick<Store, 'actors' | 'records'>;

/** More than all refunds of one payment have credit notes. */
const EACH_MAX = 100;

/** The newest invoice of a payment, with the credit notes of all of its invoices. */
export interface PaymentInvoice {
  readonly invoice: InvoiceDoc;
  readonly creditNotes: readonly InvoiceDoc[];
}

/** The invoices and credit notes of these payments, the oldest first. */
export function invoicesOf(store: Reader, tenant: Tenant, paymentIds: readonly string[]): Promise<InvoiceDoc[]> {
  const where = { paymentId: { in: paymentIds } };
  const limit = paymentIds.length * EACH_MAX;
  return tenantStore(store, tenant).find('invoices', {
    where,
    sort: [
      ['createdAt', 1],
      ['number', 1],
    ],
    limit,
  });
}

/** null: none is issued. */
export async function findInvoice(store: Reader, payment: ActorDoc): Promise<PaymentInvoice | null> {
  const known = await invoicesOf(store, payment, [payment._id]);
  const invoice = known.findLast(({ corrects }) => corrects === null);
  return invoice === undefined ? null : { invoice, creditNotes: known.filter(({ corrects }) => corrects !== null) };
}

/** The credit notes of the newest invoice, which are in one file with it. */
export function correctionsOf({ invoice, creditNotes }: PaymentInvoice): InvoiceDoc[] {
  return creditNotes.filter(({ corrects }) => corrects === invoiceNumber(invoice));
}

/** Whether a payment has an invoice, or gets one when its block is finalized. */
export function isInvoiced({ invoicing }: Pick<MerchantDoc, 'invoicing'>, payment: ActorDoc): boolean {
  return payment.status === 'settled' && invoicing !== undefined && settledAtOf(payment) >= invoicing.since;
}

/** Throws 404 with the reason. */
export async function requireInvoice(
  store: Reader,
  merchant: Pick<MerchantDoc, 'invoicing'>,
  payment: ActorDoc,
): Promise<PaymentInvoice> {
  const found = await findInvoice(store, payment);
  if (found !== null) return found;
  throw new Fault('not_found', `This payment has no invoice: ${whyNone(merchant, payment)}`);
}

function whyNone(merchant: Pick<MerchantDoc, 'invoicing'>, payment: ActorDoc): string {
  if (merchant.invoicing === undefined) return 'the settings of invoices in the dashboard are not filled in';
  if (payment.status !== 'settled') return `the payment is ${payment.status}, and an invoice needs settled`;
  if (isInvoiced(merchant, payment)) return 'it is issued when the block of the charge is finalized; ask again later';
  return 'the payment settled before the settings of invoices were saved';
}
