import { correctionsOf, type PaymentInvoice } from '../billing/receipts/invoices.ts';
import type { Catalog } from '../chains/catalog.ts';
import { Fault } from '../errors/fault.ts';
import type { HttpDeps } from '../http/deps.ts';
import type { PdfFile } from '../http/send.ts';
import { formatAmount } from '../model/amounts.ts';
import { invoiceNumber, worthOf } from '../model/invoice.ts';
import { dateIn } from '../model/time-zones.ts';
import type { BuiltPages } from '../pages/built-pages.ts';
import { languageIn, type PageLanguage } from '../pages/language.ts';
import type { InvoiceDoc, InvoiceLine, InvoiceParty } from '../store/collections.ts';
import { invoiceFonts } from './fonts.ts';
import { Sheet, type TextStyle } from './sheet.ts';

export interface InvoicePdfDeps {
  readonly catalog: Catalog;
  /** The texts are with them. */
  readonly pages: { current(): Promise<Pick<BuiltPages, 'texts'> | null> };
}

/** Writes invoices: the invoice on the first page, and each credit note on one of its own. */
export function invoicePdfs({ catalog, pages }: InvoicePdfDeps): HttpDeps['invoicePdf'] {
  return async (found, wanted): Promise<PdfFile> => {
    const build = await pages.current();
    if (build === null) throw new Fault('store_unavailable', 'The texts of invoices are not built; retry shortly');
    const language = languageIn(wanted ?? found.invoice.language ?? '', build.texts);
    const name = `${invoiceNumber(found.invoice)}.pdf`;
    return { name, bytes: await bytesOf(found, catalog, language) };
  };
}

async function bytesOf(found: PaymentInvoice, catalog: Catalog, language: PageLanguage): Promise<Uint8Array> {
  const { invoice } = found;
  const { tag, direction } = language;
  const about = { title: invoiceNumber(invoice), at: invoice.createdAt, language: tag, direction };
  const sheet = new Sheet(await invoiceFonts(), about);
  for (const doc of [invoice, ...correctionsOf(found)]) {
    if (doc !== invoice) sheet.nextPage();
    write(sheet, doc, catalog, language);
  }
  return sheet.bytes();
}

const SOFT = { size: 9, color: '#5a666d' };

function write(sheet: Sheet, doc: InvoiceDoc, catalog: Catalog, language: PageLanguage): void {
  const { say, day } = language;
  const isInvoice = doc.corrects === null;
  const moved = isInvoice ? 'receipt.paid' : 'receipt.refunded';
  const fact = (name: string, value: string | null) => {
    if (value !== null) sheet.row([name, value], { size: 9 });
  };
  if (doc.mode === 'test') sheet.row([say('banner.test_mode')], { size: 9, color: '#a03c00' });
  sheet.row([inOwnDirection(doc.seller.name)], { size: 13 });
  sheet.row([partyText(doc.seller, language)], SOFT);
  sheet.gap(24);
  sheet.row([say(isInvoice ? 'invoice.title' : 'invoice.credit_note')], { size: 20 });
  sheet.gap(6);
  fact(say('receipt.number'), invoiceNumber(doc));
  fact(say('invoice.corrects'), doc.corrects);
  fact(say('invoice.date'), day(doc.date));
  fact(say(moved), day(doc.movedOn));
  const dayOf = (moment: string) => day(dateIn(doc.timeZone ?? 'UTC', moment));
  fact(
    say('receipt.period'),
    doc.period && say('receipt.period_of', { from: dayOf(doc.period.from), to: dayOf(doc.period.to) }),
  );
  sheet.gap(16);
  sheet.row([say('invoice.to')], SOFT);
  sheet.row([`${inOwnDirection(doc.customer.name)}\n${partyText(doc.customer, language)}`.trim()]);
  sheet.gap(20);
  table(sheet, doc, catalog, language);
  sheet.gap(20);
  const token = catalog.tokenByKey(doc.tokenKey);
  const [ticker, network] = [token?.ticker ?? doc.tokenKey, token && catalog.chain(token.chainId)?.label];
  fact(say('receipt.paid_with'), network === undefined ? ticker : say('common.token_on_network', { ticker, network }));
  fact(say('receipt.transaction'), doc.transaction);
  fact(say('invoice.value'), valueText(doc, ticker, token?.decimals ?? 0, language));
}

function table(sheet: Sheet, doc: InvoiceDoc, catalog: Catalog, language: PageLanguage): void {
  const { say } = language;
  const token = catalog.tokenByKey(doc.tokenKey);
  const money = (units: bigint) => {
    const text = language.money(formatAmount(units < 0n ? -units : units, token?.decimals ?? 0), token?.ticker ?? '');
    // From left to right on an Arabic page, too (Unicode UAX #9: LRI and PDI).
    return `\u2066${units < 0n ? '\u2212' : ''}${text}\u2069`;
  };
  const [net, tax, total] = [BigInt(doc.net), BigInt(doc.tax), BigInt(doc.total)];
  const sumOf = (name: string, units: bigint, look: TextStyle = {}) => sheet.row([name, '', money(units)], look);
  sheet.row([say('receipt.for'), say('quantity.title'), say('common.amount')], SOFT);
  sheet.rule();
  for (const line of doc.lines) {
    const shown = BigInt(line.net) + (doc.isTaxIncluded ? BigInt(line.tax) : 0n);
    sheet.row([lineText(line, language), line.quantity === null ? '' : String(line.quantity), money(shown)]);
  }
  sheet.gap(4);
  sheet.rule();
  if (!doc.isTaxIncluded) {
    sumOf(say('invoice.net'), net);
    sumOf(say('invoice.tax', { rate: doc.taxRate }), tax);
  }
  sumOf(say(doc.corrects === null ? 'receipt.paid' : 'receipt.refunded'), total, { size: 12 });
  if (doc.isTaxIncluded) {
    sumOf(say('invoice.net'), net, SOFT);
    sumOf(say('invoice.tax', { rate: doc.taxRate }), tax, SOFT);
  }
}

const LINES = {
  credit: 'change.credit',
  discount: 'discount.title',
  refund: 'receipt.refunded',
  reversal: 'receipt.refunded',
} as const;

function lineText({ kind, name }: InvoiceLine, { say }: PageLanguage): string {
  const own = name && inOwnDirection(name);
  if (kind === 'sale') return own ?? say('invoice.direct');
  return own === null ? say(LINES[kind]) : `${say(LINES[kind])}: ${own}`;
}

/** "20457 Hamburg" is read from left to right in an Arabic text, too: each line is by itself (UAX #9: FSI and PDI). */
function inOwnDirection(text: string): string {
  return text.replaceAll(/.+/g, '\u2068$&\u2069');
}

function partyText({ address, country, taxId }: InvoiceParty, { say, tag }: PageLanguage): string {
  const land = country && (new Intl.DisplayNames([tag], { type: 'region' }).of(country) ?? country);
  const own = address && inOwnDirection(address);
  const lines = [own, land, taxId && say('invoice.tax_id', { id: inOwnDirection(taxId) })];
  return lines.filter((text) => text !== null && text !== '').join('\n');
}

/** null: nobody gave a rate. */
function valueText({ rate, total, tax }: InvoiceDoc, ticker: string, decimals: number, language: PageLanguage) {
  if (rate === null) return null;
  const worth = (units: string) => language.money(worthOf(BigInt(units), decimals, rate.rate), rate.currency);
  const { source, at } = rate;
  const each = language.money(rate.rate, rate.currency);
  return language.say('invoice.value_text', {
    ...{ total: worth(total), tax: worth(tax), each, ticker, source, time: language.time(at) },
  });
}
