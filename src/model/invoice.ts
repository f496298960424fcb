import type { PaymentContext } from '../../machines/payment/context.ts';
import { nearest, netOf, taxedParts } from '../../machines/rules/tax.ts';
import type { InvoiceDoc, InvoiceLine, InvoiceParty, Invoicing } from '../store/collections.ts';
import type { ActorDoc } from '../store/documents.ts';
import { formatAmount, parseDecimal } from './amounts.ts';
import { paymentAttributes, paymentContextOf, settledAtOf } from './payment.ts';
import { dateIn } from './time-zones.ts';

/** Everything but the number. */
export type InvoiceContent = Omit<InvoiceDoc, '_id' | 'number'>;

/** When a document is issued, where the merchant is. */
export interface IssueTime {
  readonly timeZone: string;
  readonly now: Date;
}

/** What an invoice says beside what its payment knows. */
export interface InvoiceFacts extends IssueTime {
  readonly invoicing: Invoicing;
  readonly seller: InvoiceParty;
  readonly customer: InvoiceParty;
  readonly language: string | null;
  readonly offerName: string | null;
}

/** `2030-0001`; of test mode `TEST-2030-0001`. */
export function invoiceNumber({ mode, year, number }: Pick<InvoiceDoc, 'mode' | 'year' | 'number'>): string {
  return `${mode === 'test' ? 'TEST-' : ''}${year}-${String(number).padStart(4, '0')}`;
}

export function yearOf({ timeZone, now }: IssueTime): string {
  return dateIn(timeZone, now).slice(0, 4);
}

/** The tax in percent for a customer of this country. */
export function taxRateFor({ taxRate, taxRates }: Invoicing, country: string | null): string {
  return (country === null ? undefined : taxRates[country]) ?? taxRate;
}

/** The invoice of a settled payment. Its lines add up to the paid amount exactly. Pure. */
export function invoiceOf(payment: ActorDoc, facts: InvoiceFacts): InvoiceContent {
  const { invoicing, seller, customer, language } = facts;
  const { merchantId, mode, _id: paymentId } = payment;
  const context = paymentContextOf(payment);
  const { tokenKey } = paymentAttributes.parse(payment.attributes);
  const { isTaxIncluded } = invoicing;
  const taxRate = taxRateFor(invoicing, customer.country);
  const { cycleOf, hashes, rate = null, landedAttempt } = context;
  return {
    ...{ merchantId, mode, paymentId, corrects: null, customer, language, tokenKey, taxRate, isTaxIncluded, rate },
    ...issued(facts, settledAtOf(payment)),
    // After a reorganization another attempt may pay, which has an invoice of its own.
    subject: `${paymentId}:${landedAttempt ?? 1}`,
    seller: { name: seller.name, address: seller.address, country: seller.country, taxId: seller.taxId },
    period: cycleOf && { from: cycleOf.periodStart, to: cycleOf.periodEnd },
    ...withTax(partsOf(payment, context, facts.offerName), (paid) => netOf(paid, taxRate)),
    transaction: hashes.pullTxHash,
  };
}

/** What gives money of an invoice back, or takes the charge away. */
export interface Correction {
  readonly kind: 'refund' | 'reversal';
  readonly subject: string;
  readonly amount: bigint;
  readonly at: Date;
  readonly transaction: string | null;
}

/**
 * A credit note. `credited`: what earlier ones of this invoice have in all. The nets and taxes of all of them add up to
 * those of the invoice once all of it is given back. Pure.
 */
export function creditNoteOf(
  invoice: InvoiceDoc,
  { kind, subject, amount, at, transaction }: Correction,
  credited: bigint,
  when: IssueTime,
): InvoiceContent {
  const { _id: _, number: __, ...rest } = invoice;
  const [net, total] = [BigInt(invoice.net), BigInt(invoice.total)];
  const part = { kind, name: invoice.lines[0]?.name ?? null, quantity: null, amount };
  return {
    ...rest,
    ...issued(when, at),
    subject,
    corrects: invoiceNumber(invoice),
    ...withTax([part], (paid) => nearest(paid * net, total), credited),
    transaction,
  };
}

/** Base units in another currency, to the nearest hundredth. */
export function worthOf(units: bigint, decimals: number, rate: string): string {
  const { digits, scale } = parseDecimal(rate, 'rate');
  return formatAmount(nearest(units * digits * 100n, 10n ** BigInt(decimals + scale)), 2);
}

interface Part extends Pick<InvoiceLine, 'kind' | 'name' | 'quantity'> {
  readonly amount: bigint;
}

/** The lines of a payment: they add up to the amount of the charge. */
function partsOf(payment: ActorDoc, { amount }: PaymentContext, offerName: string | null): Part[] {
  const { quantity, usage, discount, credit } = paymentAttributes.parse(payment.attributes);
  // Without use the charge is what a cap has left of earlier periods: that has no quantity.
  const units = (usage?.units ?? quantity) || null;
  const discounted = less('discount', discount?.code ?? null, discount?.amount);
  const credited = less('credit', null, credit?.amount);
  const price = BigInt(amount) - discounted.amount - credited.amount;
  const sale: Part = { kind: 'sale', name: offerName, quantity: units, amount: price };
  return [sale, ...[discounted, credited].filter((part) => part.amount < 0n)];
}

function less(kind: Part['kind'], name: string | null, amount = '0'): Part {
  return { kind, name, quantity: null, amount: -BigInt(amount) };
}

function withTax(parts: readonly Part[], netUpTo: (paid: bigint) => bigint, before = 0n) {
  const taxed = taxedParts(
    parts.map(({ amount }) => amount),
    netUpTo,
    before,
  );
  const lines = parts.map(({ kind, name, quantity }, index): InvoiceLine => {
    const { net = 0n, tax = 0n } = taxed[index] ?? {};
    return { kind, name, quantity, net: String(net), tax: String(tax) };
  });
  const sum = (of: 'net' | 'tax') => taxed.reduce((all, each) => all + each[of], 0n);
  return { lines, net: String(sum('net')), tax: String(sum('tax')), total: String(sum('net') + sum('tax')) };
}

function issued(when: IssueTime, movedAt: Date) {
  const { timeZone, now } = when;
  const days = { year: yearOf(when), date: dateIn(timeZone, now), movedOn: dateIn(timeZone, movedAt) };
  return { timeZone, ...days, createdAt: now };
}
