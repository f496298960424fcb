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

const PAGES = ['/docs', '/docs/guides/quickstart', '/docs/guides/checkout', '/docs/guides/client'];

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
  it('the reference comes compressed to a tenth, and again only when it has changed', async () => {
    const get = (headers: object) => http.send('GET', '/docs', { headers: { 'Accept-Encoding': 'br', ...headers } });
    const [plain, sent] = [await get({ 'Accept-Encoding': 'identity' }), await get({})];
    expect([sent.status, sent.body]).toEqual([200, plain.body]);
    expect([sent.headers.get('content-encoding'), sent.headers.get('cache-control')]).toEqual(['br', 'no-cache']);
    const [length, all] = [sent, plain].map(({ headers }) => Number(headers.get('content-length')));
    expect(10 * Number(length)).toBeLessThan(Number(all));
    expect((await get({ 'If-None-Match': sent.headers.get('etag') })).status).toBe(304);
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
    '/docs/guides/sandbox.md',
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
