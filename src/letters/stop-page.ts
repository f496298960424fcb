import type { RequestHandler } from 'express';
import { suppress } from '../billing/letters/suppressions.ts';
import type { HttpDeps } from '../http/deps.ts';
import type { Pages } from '../pages/pages.ts';
import { sendLostPage, sendPlainPage } from '../pages/send.ts';
import { escapeHtml } from '../pages/shell.ts';
import { isOptional } from './content.ts';

/**
 * The page behind `List-Unsubscribe`. It asks first, because programs open all links of a letter. A post stops
 * reminders: the button, or one click of a mail program (RFC 8058).
 */
export function stopLettersPage(deps: HttpDeps, pages: Pages): RequestHandler<{ id: string; secret: string }> {
  return async (request, response) => {
    const isPost = request.method === 'POST';
    // The body of a post says what the address says already.
    request.resume();
    const found = await readerOf(deps, request.params);
    if (found === null) return sendLostPage(request, response, pages);
    const { email, tenant, merchant } = found;
    const order = { by: 'reader', reason: 'The link in a reminder', now: deps.clock() };
    if (isPost && email !== null) await suppress(deps.store.records, 'unsubscribed', email, order, tenant);
    response.setHeader('X-Robots-Tag', 'noindex');
    await sendPlainPage(request, response, pages, ({ say }) => {
      const title = say(isPost ? 'letter.stopped' : 'letter.stop_title', { merchant });
      const button = `<button type="submit" class="button button-primary">${escapeHtml(say('letter.unsubscribe'))}</button>`;
      const text =
        `<main class="page page-narrow stack"><h1>${escapeHtml(title)}</h1><p>${escapeHtml(say('letter.stop_text'))}</p>` +
        `${isPost ? '' : `<form method="post">${button}</form>`}</main>`;
      return { title, html: () => text, allowed: { hasForm: true } };
    });
  };
}

/** The reader of a letter that one can stop; null: the address is wrong. */
async function readerOf({ store: { records }, receipts }: HttpDeps, { id, secret }: { id: string; secret: string }) {
  const [letter] = (await receipts.opens(id, secret)) ? await records.get('letters', [id]) : [];
  if (letter === undefined || !isOptional(letter.letter)) return null;
  const [[customer], [merchant]] = await Promise.all([
    records.get('customers', [letter.customerId]),
    records.get('merchants', [letter.merchantId]),
  ]);
  return { email: customer?.email ?? null, merchant: merchant?.name ?? '', tenant: letter };
}
