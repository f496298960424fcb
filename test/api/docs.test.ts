import { request } from 'node:http';
import { type HttpHarness, startHttp } from '../support/http.ts';

let http: HttpHarness;
beforeAll(async () => {
  http = await startHttp();
});

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

/** The URLs that the page loads, relative to itself. */
async function loaded(): Promise<string[]> {
  const { body } = await http.send('GET', '/docs');
  return [...String(body).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path);
}

describe('/', () => {
  it('leads to /docs, also behind a proxy that adds a path', async () => {
    const response = await fetch(http.url, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([302, 'docs']);
    expect((await fetch(http.url)).url).toBe(`${http.url}/docs`);
  });
});

describe('/docs', () => {
  it('needs no key, and its policy allows loads and calls of this service only', async () => {
    const { status, headers, body } = await http.send('GET', '/docs');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(body).toContain('<title>Tideline API reference</title>');
    const policy = Object.fromEntries(
      (headers.get('content-security-policy') ?? '').split('; ').map((rule) => {
        const [name = '', ...sources] = rule.split(' ');
        return [name, sources.join(' ')];
      }),
    );
    expect(policy).toEqual({
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self' 'unsafe-inline'",
      'img-src': "'self' data:",
      'connect-src': "'self'",
      'base-uri': "'none'",
      'form-action': "'none'",
      'frame-ancestors': "'none'",
    });
  });

  it('contains no inline script or style, and names no other origin', async () => {
    const { body } = await http.send('GET', '/docs');
    expect(body).not.toMatch(/<style|<script(?! src=)|\son\w+=|\sstyle=/);
    for (const path of await loaded()) expect(path).toMatch(/^(docs\/[\w.]+|openapi\.json)$/);
  });

  it('finds every file that it loads', async () => {
    const paths = await loaded();
    expect(paths.length).toBeGreaterThanOrEqual(5);
    const types = await Promise.all(
      paths.map(async (path) => {
        const { status, headers } = await http.send('GET', `/${path}`);
        expect([path, status, headers.get('x-content-type-options')]).toEqual([path, 200, 'nosniff']);
        return [path, headers.get('content-type')];
      }),
    );
    expect(Object.fromEntries(types)).toEqual({
      'docs/favicon.png': 'image/png',
      'docs/page.css': 'text/css; charset=utf-8',
      'docs/page.js': 'text/javascript; charset=utf-8',
      'docs/renderer.css': 'text/css; charset=utf-8',
      'docs/renderer.js': 'text/javascript; charset=utf-8',
      'openapi.json': 'application/json; charset=utf-8',
    });
  });

  it('loads the renderer again only when it has changed', async () => {
    const first = await http.send('GET', '/docs/renderer.js');
    const etag = first.headers.get('etag') ?? '';
    expect(String(first.body).length).toBeGreaterThan(1_000_000);
    const again = await http.send('GET', '/docs/renderer.js', { headers: { 'If-None-Match': etag } });
    expect([again.status, again.body]).toEqual([304, '']);
  });

  it.each([
    '/docs/',
    '/docs/index.html',
    '/docs/package.json',
    '/docs/swagger-initializer.js',
    '/docs/../package.json',
    '/docs/%2e%2e/package.json',
    '/docs/..%2fpackage.json',
    '/docs/renderer.js/../package.json',
    '/docs/..%5c..%5cpackage.json',
    '/docs/renderer.js%00',
    '/Docs',
  ])('answers 404 to %s', async (path) => {
    expect(await statusOf(path)).toBe(404);
  });
});

describe('the script of the page', () => {
  it('shows /openapi.json, and tries it out at the origin of the page', async () => {
    const script = String((await http.send('GET', '/docs/page.js')).body);
    const shown: unknown[] = [];
    const place = { replaceChildren: () => shown.push('an error') };
    const page = {
      document: { baseURI: `${http.url}/docs`, getElementById: () => place, createElement: () => ({}) },
      window: { SwaggerUIBundle: (options: { spec: { servers: unknown } }) => shown.push(options.spec.servers) },
      fetch: (path: string) => fetch(new URL(path, `${http.url}/docs`)),
    };
    await new Function(...Object.keys(page), `return ${script.slice(script.indexOf('(async'))}`)(
      ...Object.values(page),
    );
    expect(shown).toEqual([[{ url: `${http.url}/v1`, description: 'This service.' }]]);
  });
});
