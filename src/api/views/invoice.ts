import { z } from 'zod';
import { moment } from '../../../machines/effects.ts';
import type { PaymentInvoice } from '../../billing/receipts/invoices.ts';
import type { Catalog } from '../../chains/catalog.ts';
import { idSchema, isSandbox, merchantId, txHash } from '../../http/schemas.ts';
import { formatAmount } from '../../model/amounts.ts';
import { invoiceNumber, worthOf } from '../../model/invoice.ts';
import type { InvoiceDoc } from '../../store/collections.ts';

const units = z.string().regex(/^-?(0|[1-9]\d*)\.(\d\d|\d+[1-9])$/);
const day = z.iso.date();

const party = z.strictObject({
  name: z.string().describe('The legal name; of a customer without a name the e-mail address or the wallet.'),
  address: z.string().nullable().describe('In several lines.'),
  country: z.string().nullable().describe('ISO 3166-1, two letters.'),
  taxId: z.string().nullable().describe('The tax number.'),
});

const line = z.strictObject({
  kind: z
    .enum(['sale', 'credit', 'discount', 'refund', 'reversal'])
    .describe('`credit` and `discount` make the amount less. `refund` and `reversal` are lines of credit notes.'),
  name: z.string().nullable().describe('The offer or the coupon; `null` for a direct charge.'),
  quantity: z.int().nullable().describe('The units that were sold or used; `null`: it is not by units.'),
  net: units.describe('Without tax, in token units.'),
  tax: units.describe('The tax of the line, in token units.'),
});

const fields = {
  number: z.string().describe('Without gaps in a year and a mode: `2030-0001`, in test mode `TEST-2030-0001`.'),
  date: day.describe('The day of issue, in the time zone of the merchant.'),
  seller: party.describe('The merchant, as it was then.'),
  customer: party.describe('The customer, as it was then.'),
  lines: z.array(line).describe('`net` and `tax` of all lines add up to `total`.'),
  tokenKey: z.string().describe('The token of the amounts.'),
  taxRate: z.string().describe('In percent.'),
  isTaxIncluded: z.boolean().describe('How the PDF shows the lines: with their tax, or with the tax below.'),
  net: units.describe('Without tax, in token units.'),
  tax: units.describe('The tax, in token units. It is a part of the paid amount.'),
  total: units.describe('What the payer has paid, or was given back, in token units.'),
  value: z
    .strictObject({
      currency: z.string().describe('The currency of the accounts of the merchant.'),
      rate: z.string().describe('What one token was worth.'),
      source: z.string().describe('Who said so.'),
      at: moment.describe('When it was read: when the service found the charge final.'),
      total: z.string().describe('`total` in the currency, to the nearest hundredth.'),
      tax: z.string().describe('`tax` in the currency, likewise.'),
    })
    .nullable()
    .describe('The value when the charge was final. `null`: nobody gave a rate, and a peg is none.'),
  transaction: txHash.describe('The transaction of the charge or the refund.'),
  createdAt: moment.describe('When it was issued.'),
};

const creditNoteSchema = z.strictObject({
  ...fields,
  corrects: z.string().describe('The number of its invoice.'),
  refundedOn: day.describe('The day of the refund, in the time zone of the merchant.'),
});

/** An invoice with the credit notes of its payment (docs/rules.md, "Invoices"). */
export const paymentInvoiceSchema = z.strictObject({
  paymentId: idSchema('pay_').describe('The payment.'),
  merchantId,
  ...fields,
  paidOn: day.describe('The day of the charge, in the time zone of the merchant.'),
  period: z
    .strictObject({ from: moment.describe('Its start.'), to: moment.describe('Its end, exclusive.') })
    .nullable()
    .describe('The paid period; `null` for a one-off payment.'),
  creditNotes: z.array(creditNoteSchema).describe('The oldest first.'),
  isSandbox,
});

export function invoiceView(
  { invoice, creditNotes }: PaymentInvoice,
  catalog: Catalog,
): z.output<typeof paymentInvoiceSchema> {
  const { paymentId, merchantId: seller, period, movedOn: paidOn, mode } = invoice;
  return {
    ...{ paymentId, merchantId: seller, period, paidOn, isSandbox: mode === 'test' },
    ...fieldsOf(invoice, catalog),
    creditNotes: creditNotes.map((each) => ({
      ...fieldsOf(each, catalog),
      ...{ corrects: each.corrects ?? '', refundedOn: each.movedOn },
    })),
  };
}

function fieldsOf(doc: InvoiceDoc, catalog: Catalog) {
  const { date, seller, customer, lines, tokenKey, taxRate, isTaxIncluded, rate, transaction, createdAt } = doc;
  const token = catalog.tokenByKey(tokenKey);
  if (token === undefined) throw new Error(`${doc._id} is in the unknown token ${tokenKey}`);
  const { decimals } = token;
  const inTokens = (base: string) => signed(BigInt(base), (amount) => formatAmount(amount, decimals));
  const worth = (base: string, per: string) => worthOf(BigInt(base), decimals, per);
  return {
    ...{ number: invoiceNumber(doc), date, seller, customer, tokenKey, taxRate, isTaxIncluded, transaction },
    lines: lines.map((each) => ({ ...each, net: inTokens(each.net), tax: inTokens(each.tax) })),
    ...{ net: inTokens(doc.net), tax: inTokens(doc.tax), total: inTokens(doc.total) },
    value: rate && { ...rate, total: worth(doc.total, rate.rate), tax: worth(doc.tax, rate.rate) },
    createdAt: createdAt.toISOString(),
  };
}

function signed(amount: bigint, text: (amount: bigint) => string): string {
  return amount < 0n ? `-${text(-amount)}` : text(amount);
}
