import type { RequestHandler } from 'express';
import { setLetters } from '../billing/administration/letter-settings.ts';
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
    const { letter, email, merchant } = found;
    const isSummary = letter.letter === 'weekly_summary';
    if (isPost && isSummary) await setLetters(deps, letter.merchantId, { summaryTo: null }, BY_ITS_LINK);
    const order = { by: 'reader', reason: 'The link in a reminder', now: deps.clock() };
    if (isPost && email !== null) await suppress(deps.store.records, 'unsubscribed', email, order, letter);
    response.setHeader('X-Robots-Tag', 'noindex');
    await sendPlainPage(request, response, pages, ({ say }) => {
      const [asked, action, done, note] = isSummary ? SUMMARY : REMINDER;
      const title = say(isPost ? done : asked, { merchant });
      const button = `<button type="submit" class="button button-primary">${escapeHtml(say(action))}</button>`;
      const text =
        `<main class="page page-narrow stack"><h1>${escapeHtml(title)}</h1><p>${escapeHtml(say(note, { merchant }))}</p>` +
        `${isPost ? '' : `<form method="post">${button}</form>`}</main>`;
      return { title, html: () => text, allowed: { hasForm: true } };
    });
  };
}

/** The title, the button, the title afterwards, and what that means. */
const REMINDER = ['letter.stop_title', 'letter.unsubscribe', 'letter.stopped', 'letter.stop_text'] as const;
const STOP = 'letter.weekly_stop';
const SUMMARY = [STOP, STOP, 'letter.weekly_stopped', 'letter.weekly_why'] as const;

/** A weekly summary has one reader, so it is turned off; an admin can turn it on again. */
const BY_ITS_LINK = { by: 'member:the link in a weekly summary', reason: 'Turned off' };

/** The reader of a letter that one can stop; null: the address is wrong. */
async function readerOf({ store: { records }, receipts }: HttpDeps, { id, secret }: { id: string; secret: string }) {
  const [letter] = (await receipts.opens(id, secret)) ? await records.get('letters', [id]) : [];
  if (letter === undefined || !isOptional(letter.letter)) return null;
  const [[customer], [merchant]] = await Promise.all([
    letter.customerId === null ? [] : records.get('customers', [letter.customerId]),
    records.get('merchants', [letter.merchantId]),
  ]);
  return { letter, email: customer?.email ?? null, merchant: merchant?.name ?? '' };
}
