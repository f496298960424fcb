import type { Request } from 'express';
import { csvOf, lastIdIn, prefersCsv } from '../http/csv.ts';
import type { Answer, CsvList } from '../http/endpoint.ts';

/**
 * The answer of a list in the form that `Accept` prefers: JSON, or CSV: the whole list in parts if its endpoint
 * makes that, else the page, with the address of the next one in `Link` (RFC 8288). `publicUrl`: as in `HttpConfig`.
 */
export function inPreferredForm(request: Request, answer: Answer, list: CsvList, publicUrl: string): Answer {
  const headers = { ...answer.headers, Vary: 'Accept' };
  const isPage = answer.status === 200 && answer.csv === undefined && prefersCsv(request);
  if (!isPage) return { ...answer, headers };
  const next = nextPage(request, answer.body, list, publicUrl);
  const link = next === null ? {} : { Link: `<${next}>; rel="next"` };
  return { ...answer, headers: { ...headers, ...link }, csv: csvOf(answer.body, list) };
}

/** The same request for the page after the last item; null: no page follows. */
function nextPage({ originalUrl }: Request, body: unknown, list: CsvList, publicUrl: string): string | null {
  const hasMore = typeof body === 'object' && body !== null && Reflect.get(body, 'hasMore') === true;
  const last = lastIdIn(body, list);
  if (!hasMore || last === null) return null;
  const url = new URL(`${publicUrl}${originalUrl}`);
  url.searchParams.delete('start');
  url.searchParams.set(url.searchParams.get('order') === 'asc' ? 'after' : 'startingAfter', last);
  return url.href;
}
