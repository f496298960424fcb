import { request } from 'node:http';
import { useHttp } from '../support/http.ts';

const http = useHttp();
/** The status of a raw path, which no client normalizes. */
function statusOf(path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request({ port: http.port, path }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .once('error', reject)
      .end();
  });
}

const PAGES = [
  '/docs',
  '/docs/offers',
  '/docs/events',
  '/docs/errors',
  '/docs/schemas',
  '/docs/guides/quickstart',
  '/docs/guides/checkout',
  '/docs/guides/client',
];

/** The targets of all links and files of a page. */
async function targetsOf(path: string): Promise<URL[]> {
  const { body } = await http.send('GET', path);
  const targets = [...String(body).matchAll(/ (?:src|href)="([^"]+)"/g)].map(([, target = '']) => target);
  return targets.map((target) => new URL(target, `${http.url}${path}`));
}

describe.each(PAGES)('%s', (path) => {
  it('needs no key, and its policy allows files of this service only, and nothing inline', async () => {
    const { status, headers, body } = await http.send('GET', path);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; " +
        "form-action 'none'; frame-ancestors 'none'",
    );
    expect(body).not.toMatch(/<style|<script(?! type="module" src=)|<[^>]*\s(?:on\w+|style)=/);
  });

  it('leads only to files, pages and headings that exist, and to public documents', async () => {
    const own = (await targetsOf(path)).filter(({ origin }) => origin === http.url);
    const pages = new Map<string, string>();
    for (const { pathname } of own) {
      if (pages.has(pathname)) continue;
      const { status, body } = await http.send('GET', pathname);
      expect([pathname, status]).toEqual([pathname, 200]);
      pages.set(pathname, String(body));
    }
    const lost = own.filter(
      ({ pathname, hash }) => hash !== '' && !pages.get(pathname)?.includes(` id="${hash.slice(1)}"`),
    );
    expect(lost.map(({ href }) => href)).toEqual([]);
    expect(own.length).toBeGreaterThan(8);
  });

  it('has each id once', async () => {
    const { body } = await http.send('GET', path);
    const ids = [...String(body).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });
});

describe('below /docs', () => {
  it('a page comes compressed to a fifth, and again only when it has changed', async () => {
    const get = (headers: object) =>
      http.send('GET', '/docs/offers', { headers: { 'Accept-Encoding': 'br', ...headers } });
    const [plain, sent] = [await get({ 'Accept-Encoding': 'identity' }), await get({})];
    expect([sent.status, sent.body]).toEqual([200, plain.body]);
    expect([sent.headers.get('content-encoding'), sent.headers.get('cache-control')]).toEqual(['br', 'no-cache']);
    const [length, all] = [sent, plain].map(({ headers }) => Number(headers.get('content-length')));
    expect(5 * Number(length)).toBeLessThan(Number(all));
    expect((await get({ 'If-None-Match': sent.headers.get('etag') })).status).toBe(304);
  });

  it('llms.txt names Markdown whose links lead to files that exist; each page is smaller than 110 kB', async () => {
    const list = await http.send('GET', '/llms.txt');
    expect(list.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const all = [...String(list.body).matchAll(/\((https:[^)]+\.md)\)/g)].map(([, url = '']) => new URL(url).pathname);
    expect(all.length).toBeGreaterThan(20);
    const targets = new Set<string>();
    for (const path of all) {
      const { status, headers, body } = await http.send('GET', path);
      expect([path, status, headers.get('content-type')]).toEqual([path, 200, 'text/markdown; charset=utf-8']);
      for (const [, href = ''] of String(body).matchAll(/\]\(((?!https?:|#)[^)\s#]+)/g)) {
        targets.add(new URL(href, `${http.url}${path}`).pathname);
      }
      const page = await http.send('GET', path.replace(/\.md$/, ''));
      expect([path, page.status, String(page.body).length < 110_000]).toEqual([path, 200, true]);
    }
    for (const path of targets) expect([path, (await http.send('GET', path)).status]).toEqual([path, 200]);
  });

  it('the index of the search is small, and has each heading that the one page of before had', async () => {
    const { headers, body } = await http.send('GET', '/docs/search.json', { headers: { 'Accept-Encoding': 'br' } });
    expect(Number(headers.get('content-length'))).toBeLessThan(46_000);
    const text = JSON.stringify(body);
    const ids = [
      'limits',
      'tag-offers',
      'createOffer',
      'subscription.past_due',
      'schema-Offer',
      'header-Link',
      'headers',
      'schemas',
    ];
    expect(ids.filter((id) => !text.includes(`"id":"${id}"`))).toEqual([]);
  });

  it('a picture of a guide is sent again only when it has changed', async () => {
    const first = await http.send('GET', '/docs/guides/checkout-consent.png');
    expect([first.status, first.headers.get('content-type')]).toEqual([200, 'image/png']);
    const etag = first.headers.get('etag') ?? '';
    const again = await http.send('GET', '/docs/guides/checkout-consent.png', { headers: { 'If-None-Match': etag } });
    expect([again.status, again.body]).toEqual([304, '']);
  });

  it.each([
    '/docs/',
    '/docs/index.html',
    '/docs/guides',
    '/docs/guides/',
    '/docs/guides/environment',
    '/docs/guides/sandbox.html',
    '/docs/nothing',
    '/docs/nothing.md',
    '/docs/guides/..%2fpackage.json',
    '/docs/guides/%2e%2e/package.json',
    '/docs/../package.json',
    '/docs/guides/..%5c..%5cpackage.json',
    '/docs/guides/sandbox%00',
    '/Docs',
  ])('%s is a 404', async (path) => {
    expect(await statusOf(path)).toBe(404);
  });
});
