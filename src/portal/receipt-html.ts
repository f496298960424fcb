import { discountWords, withCode } from '../../machines/rules/discount-words.ts';
import { priceWords } from '../../machines/rules/price-words.ts';
import { brandingOf } from '../billing/administration/branding.ts';
import type { Receipt } from '../billing/portal/receipt.ts';
import { correctionsOf } from '../billing/receipts/invoices.ts';
import { type Catalog, explorerUrl } from '../chains/catalog.ts';
import { brandingView } from '../http/branding.ts';
import { paymentAttributes, paymentContextOf, settledAtOf } from '../model/payment.ts';
import type { PageLanguage } from '../pages/language.ts';
import type { PlainPage } from '../pages/send.ts';
import { escapeHtml } from '../pages/shell.ts';
import type { MerchantDoc } from '../store/collections.ts';
import type { ActorDoc } from '../store/documents.ts';
import { paymentView, subscriptionView } from './views.ts';
import type { PortalSubscription } from './wire.ts';

/** A name and safe HTML; null: it does not apply. */
type Fact = readonly [name: string, html: string] | null;

/** The receipt as a page. All text of merchants is escaped. */
export function receiptPage(
  receipt: Receipt,
  invoicePath: string,
  catalog: Catalog,
  language: PageLanguage,
): PlainPage {
  const { say } = language;
  const isPaid = receipt.kind === 'payment';
  const title = say(isPaid ? 'receipt.title' : 'receipt.agreed_title');
  const { doc, merchant } = isPaid ? receipt.payment : receipt.subscription;
  const facts = isPaid ? paidFacts(receipt, catalog, language) : agreedFacts(receipt.subscription, catalog, language);
  const test = doc.mode === 'test' ? `<p class="test-banner">${escapeHtml(say('banner.test_mode'))}</p>` : '';
  const invoice = isPaid ? invoiceOf(receipt, invoicePath, language) : '';
  const rows = facts.flatMap((fact) => (fact === null ? [] : [`<dt>${escapeHtml(fact[0])}</dt><dd>${fact[1]}</dd>`]));
  return {
    title: `${title} ${doc._id}`,
    html: (toRoot) =>
      `<main class="page page-narrow stack">${test}<div class="card stack">${sellerOf(merchant, toRoot)}` +
      `<h1>${escapeHtml(title)}</h1><dl class="facts" translate="no">${rows.join('')}</dl></div>${invoice}` +
      `<div class="stack not-printed"><p class="small soft">${escapeHtml(say('receipt.lasts'))}</p>` +
      `<div><button type="button" class="button" id="print" hidden>${escapeHtml(say('receipt.print'))}</button></div>` +
      '</div></main>',
  };
}

function invoiceOf(
  { invoice, isInvoiceDue }: Extract<Receipt, { kind: 'payment' }>,
  path: string,
  { say, tag }: PageLanguage,
): string {
  if (invoice === null && !isInvoiceDue) return '';
  const notes = invoice === null ? 0 : correctionsOf(invoice).length;
  const link = `<a class="button" href="${path}?lang=${tag}">${escapeHtml(say('invoice.open', { notes }))}</a>`;
  const text = invoice === null ? escapeHtml(say('invoice.later')) : link;
  return `<p class="not-printed" data-part="invoice">${text}</p>`;
}

function sellerOf(merchant: MerchantDoc, toRoot: string): string {
  const { legalName, legalAddress } = brandingOf(merchant);
  const { logoPath } = brandingView(merchant);
  const logo = logoPath === null ? '' : `<img class="logo" src="${toRoot}${logoPath}" alt="">`;
  const address = legalAddress === null ? '' : `<p class="typed soft"><bdi>${escapeHtml(legalAddress)}</bdi></p>`;
  const name = `<p class="merchant">${logo}<strong><bdi>${escapeHtml(legalName ?? merchant.name)}</bdi></strong></p>`;
  return `<div class="stack-tight" data-part="seller">${name}${address}</div>`;
}

function paidFacts(
  { payment, transfers }: Extract<Receipt, { kind: 'payment' }>,
  catalog: Catalog,
  language: PageLanguage,
): Fact[] {
  const { say, money, time, day } = language;
  const view = paymentView(payment, catalog);
  const { fromWallet } = paymentContextOf(payment.doc);
  const { ticker, network, periodStart, periodEnd, quantity, unitsUsed, txHash } = view;
  const { tokenKey } = paymentAttributes.parse(payment.doc.attributes);
  const explained = (hash: string) => transaction(hash, chainOf(tokenKey, payment.doc, catalog), language);
  return [
    [say('receipt.number'), code(view.id)],
    payment.offerName === null ? null : forOffer(payment.offerName, payment.merchant, language),
    quantity === null ? null : [say('quantity.title'), String(quantity)],
    view.discount === null
      ? null
      : [say('discount.title'), escapeHtml(withCode(money(view.discount.amount, ticker), view.discount))],
    view.credit === null ? null : [say('change.credit'), escapeHtml(money(view.credit, ticker))],
    unitsUsed === null ? null : [say('usage.used'), escapeHtml(say('usage.units', { units: unitsUsed }))],
    [say('common.amount'), `<strong class="number">${escapeHtml(money(view.amount, ticker))}</strong>`],
    [say('receipt.date'), escapeHtml(time(settledAtOf(payment.doc)))],
    [say('receipt.paid_with'), paidWith(ticker, network, language)],
    periodStart === null || periodEnd === null
      ? null
      : [say('receipt.period'), escapeHtml(say('receipt.period_of', { from: day(periodStart), to: day(periodEnd) }))],
    transfers.length > 0 || fromWallet === null ? null : [say('receipt.from'), code(fromWallet)],
    transfers.length === 0 ? null : [say('receipt.transfer'), transfers.map(explained).join('<br>')],
    txHash === null ? null : [say('receipt.transaction'), explained(txHash)],
    ...view.refunds.map((refund): Fact => {
      const given = say('receipt.paid_on', { amount: money(refund.amount, ticker), date: time(refund.at) });
      return [say('receipt.refunded'), `${escapeHtml(given)}<br>${explained(refund.txHash)}`];
    }),
  ];
}

/** The agreed terms, and when the first charge follows. */
function agreedFacts(
  subscription: Extract<Receipt, { kind: 'agreement' }>['subscription'],
  catalog: Catalog,
  language: PageLanguage,
): Fact[] {
  const { say, day } = language;
  const { doc, merchant, terms } = subscription;
  const view = subscriptionView(subscription, catalog);
  const { price, ticker, trialEnd, cyclesCompleted, maxCycles, discount, ended } = view;
  const { inOneLine, recurringPrice, conditionsOf } = priceWords(language);
  const conditions = conditionsOf({ ...price, trialDays: null, maxCycles });
  const chainId = chainOf(terms.tokenKey, doc, catalog);
  const network = chainId === null ? null : (catalog.chain(chainId)?.label ?? null);
  return [
    [say('receipt.number'), code(view.id)],
    forOffer(view.offerName, merchant, language),
    [say('receipt.date'), escapeHtml(day(view.createdAt))],
    [say('checkout.price'), escapeHtml(inOneLine([recurringPrice(price), ...conditions]))],
    discount === null
      ? null
      : [say('discount.title'), escapeHtml(withCode(discountWords(discount, ticker, language), discount))],
    [say('receipt.paid_with'), paidWith(ticker, network, language)],
    trialEnd === null || price.metered !== null ? null : [say('receipt.free_until'), escapeHtml(day(trialEnd))],
    [
      say('receipt.paid'),
      escapeHtml(
        cyclesCompleted === 0 ? say('receipt.not_charged') : say('receipt.charged', { charges: cyclesCompleted }),
      ),
    ],
    [
      say(cyclesCompleted === 0 ? 'receipt.first_charge' : 'receipt.next_charge'),
      escapeHtml(ended === null ? nextOf(view, language) : say('portal.state_ended_on', { date: day(ended.at) })),
    ],
  ];
}

function nextOf({ nextCharge: next, pause }: PortalSubscription, language: PageLanguage): string {
  const { say, chargeDay } = language;
  if (next === null) return say('portal.next_none');
  const price = priceWords(language).chargeText(next.price);
  if (next.at === null) return pause === null ? price : say('pause.next', { price });
  return say('portal.next_on', { price, date: chargeDay(next.at) });
}

function forOffer(offer: string, { name: merchant }: MerchantDoc, { say }: PageLanguage): Fact {
  return [say('receipt.for'), escapeHtml(say('common.offer_of_merchant', { offer, merchant }))];
}

function paidWith(ticker: string, network: string | null, { say }: PageLanguage): string {
  return escapeHtml(network === null ? ticker : say('common.token_on_network', { ticker, network }));
}

function transaction(hash: string, chainId: number | null, { say }: PageLanguage): string {
  const url = chainId === null ? null : explorerUrl(chainId, hash);
  if (url === null) return code(hash);
  const text = say('receipt.show_on', { explorer: new URL(url).host });
  return `${code(hash)} <a class="not-printed" href="${escapeHtml(url)}" target="_blank" rel="noreferrer">${escapeHtml(text)}</a>`;
}

/** null: no chain of this installation plays the token. */
function chainOf(tokenKey: string, { mode }: ActorDoc, catalog: Catalog): number | null {
  const answer = catalog.play(tokenKey, mode);
  return answer.ok ? answer.play.chainId : null;
}

function code(text: string): string {
  return `<code dir="ltr">${escapeHtml(text)}</code>`;
}
