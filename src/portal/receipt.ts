import type { RequestHandler } from 'express';
import { findReceipt } from '../billing/portal/receipt.ts';
import { requireInvoice } from '../billing/receipts/invoices.ts';
import { Fault, notFound } from '../errors/fault.ts';
import type { HttpDeps } from '../http/deps.ts';
import { methodOf } from '../http/router.ts';
import { sendPdf } from '../http/send.ts';
import { inZone } from '../pages/language.ts';
import type { Pages } from '../pages/pages.ts';
import { sendLostPage, sendPlainPage, wantsPage } from '../pages/send.ts';
import { receiptPage as pageOf } from './receipt-html.ts';

/** The page at a `receiptPath`: the receipt, to read, print and keep. Another address is an unknown one. */
export function receiptPage(deps: HttpDeps, pages: Pages): RequestHandler<{ id: string; secret: string }> {
  return async (request, response, next) => {
    if (methodOf(request) !== 'GET') return next();
    const { id, secret } = request.params;
    const receipt = await findReceipt(deps, id, secret).catch((error: unknown) => {
      if (error instanceof Fault && error.code === 'not_found') return null;
      throw error;
    });
    if (receipt === null && wantsPage(request)) return sendLostPage(request, response, pages);
    if (receipt === null) throw notFound();
    response.setHeader('X-Robots-Tag', 'noindex');
    await sendPlainPage(request, response, pages, (language) =>
      pageOf(receipt, `${encodeURIComponent(secret)}/invoice.pdf`, deps.catalog, inZone(language, receipt.timeZone)),
    );
  };
}

/** The invoice of a receipt, for whoever has its address. Before it is issued, the receipt says when that is. */
export function receiptInvoice(deps: HttpDeps): RequestHandler<{ id: string; secret: string }> {
  return async (request, response, next) => {
    if (methodOf(request) !== 'GET') return next();
    const { id, secret } = request.params;
    const receipt = await findReceipt(deps, id, secret);
    if (receipt.kind !== 'payment') throw notFound();
    const { doc, merchant } = receipt.payment;
    response.setHeader('X-Robots-Tag', 'noindex');
    if (receipt.isInvoiceDue && wantsPage(request)) return response.redirect(`../${encodeURIComponent(secret)}`);
    const language = new URL(request.url, 'http://service').searchParams.get('lang');
    sendPdf(response, await deps.invoicePdf(await requireInvoice(deps.store, merchant, doc), language));
  };
}
