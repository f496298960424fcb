import { dashboardFetch } from '../dashboard-api.ts';

/** The whole list as one CSV file: all pages of the API, with one line of names. Throws an ApiError. */
export async function collectCsv(path: `/${string}`): Promise<string> {
  const parts: string[] = [];
  for (let next: `/${string}` | null = path; next !== null; ) {
    const page: Response = await dashboardFetch(next, { headers: { Accept: 'text/csv' } });
    const text = await page.text();
    parts.push(parts.length === 0 ? text : withoutNames(text));
    next = pageAfter(path, page.headers.get('Link'));
  }
  return parts.join('');
}

function withoutNames(text: string): string {
  return text.slice(text.indexOf('\r\n') + 2);
}

/**
 * `Link` has the public address of the service, which may differ from the address of this page: only its offset counts.
 */
function pageAfter(path: `/${string}`, link: string | null): `/${string}` | null {
  const url = /^<(.*)>; rel="next"$/.exec(link ?? '')?.[1];
  const startingAfter = url === undefined ? null : new URL(url).searchParams.get('startingAfter');
  if (startingAfter === null) return null;
  return `${path}${path.includes('?') ? '&' : '?'}startingAfter=${encodeURIComponent(startingAfter)}`;
}
