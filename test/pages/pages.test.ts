import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../../src/package/root.ts';
import { createPages, pagesPaths, preparePages } from '../../src/pages/pages.ts';
import { recordingLog } from '../../stage/recording-log.ts';
import { temporaryFolder } from '../runner/after.ts';
import { offerBody } from '../support/bodies.ts';
import { type HttpHarness, idOf, startHttp, useHttp } from '../support/http.ts';

const http = useHttp();
const empty = await temporaryFolder();

async function shellOf(server: HttpHarness) {
  const { testKey } = await server.merchant();
  const id = idOf(await server.call('POST', '/offers', { key: testKey, body: offerBody() }));
  return server.send('GET', `/checkout/${id}`);
}

describe('a link to a checkout', () => {
  it('shows name, description and image of the offer in other apps', async () => {
    const { testKey } = await http.merchant();
    const body = {
      ...offerBody(),
      name: 'Tea & Co',
      description: 'Leaves "fresh"',
      imageUrl: 'https://shop.example/tea.png',
    };
    const id = idOf(await http.call('POST', '/offers', { key: testKey, body }));
    const page = String((await http.send('GET', `/checkout/${id}`)).body);
    expect(page).toContain('<meta property="og:title" content="Tea &amp; Co">');
    expect(page).toContain('<meta property="og:description" content="Leaves &quot;fresh&quot;">');
    expect(page).toContain('<meta property="og:image" content="https://shop.example/tea.png">');
  });
});

describe('the files of a page', () => {
  it('exist under the names in its shell, and may be cached for ever', async () => {
    const { body } = await shellOf(http);
    const names = [...String(body).matchAll(/(?:src|href)="\.\.\/(assets\/[^"]+)"/g)].map(([, name]) => `/${name}`);
    expect(names.length).toBeGreaterThan(1);
    expect(names.length).toBeLessThanOrEqual(6);
    for (const name of names) {
      expect(name).toMatch(/-[\w-]{8}\.(js|css)$/);
      const { status, headers } = await http.send('GET', name);
      expect(status).toBe(200);
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(headers.get('content-type')).toMatch(/^text\/(javascript|css); charset=utf-8$/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it.each([
    ['br', ['gzip, deflate, br, zstd', '*']],
    ['gzip', ['gzip, deflate', 'GZIP;q=1.0, br; q=0.9', 'br;q=0, *;q=0.1']],
    [null, ['', 'zstd', 'identity, br;q=0.9', 'identity;q=0.5, *;q=0', '*;q=0']],
  ] as const)('come with the coding %s, and its own tag, to clients that accept %j', async (coding, accepting) => {
    const { script = '', styles = [] } = (await http.deps.pages.current())?.entry('checkout') ?? {};
    const files = [`/assets/${script}`, `/assets/${styles[0]}`, '/embed.js'];
    for (const [path, accepted] of files.flatMap((file) => accepting.map((each) => [file, each] as const))) {
      const get = async (accept: string, headers: object = {}, method = 'GET') => {
        const reply = await http.send(method, path, { headers: { 'accept-encoding': accept, ...headers } });
        return { ...reply, headers: Object.fromEntries(reply.headers) };
      };
      const [plain, sent] = [await get('identity'), await get(accepted)];
      expect([path, accepted, sent.headers['content-encoding'] ?? null]).toEqual([path, accepted, coding]);
      expect([sent.status, sent.body]).toEqual([200, plain.body]);
      const { etag, 'content-length': length } = sent.headers;
      const kept = { etag, vary: 'Accept-Encoding' };
      const same = { ...kept, 'content-length': length, 'content-type': plain.headers['content-type'] };
      expect(sent.headers).toMatchObject(same);
      expect(Number(length) < Number(plain.headers['content-length'])).toBe(coding !== null);
      expect(await get(accepted, {}, 'HEAD')).toMatchObject({ status: 200, body: '', headers: same });
      expect(await get(accepted, { range: 'bytes=0-9' })).toMatchObject({ status: 200, body: plain.body });
      for (const tag of [etag, `"other", W/${etag}`, '*'])
        expect(await get(accepted, { 'if-none-match': tag })).toMatchObject({ status: 304, body: '', headers: kept });
      const { headers: other } = await get(coding === 'br' ? 'gzip' : 'br');
      expect((await get(accepted, { 'if-none-match': other['etag'] })).status).toBe(200);
    }
  });

  it.each(['/assets/nothing.js', '/assets/..%2Fmanifest.json', '/assets/%2e%2e%2fembed.js'])(
    'do not include %s',
    async (path) => {
      expect((await http.send('GET', path)).status).toBe(404);
    },
  );

  it('include the embed script, for pages of every origin, cached for five minutes', async () => {
    const { status, headers } = await http.send('GET', '/embed.js');
    expect(status).toBe(200);
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(headers.get('cache-control')).toBe('public, max-age=300');
  });

  it('are limited per address, the script separately', async () => {
    const limited = await startHttp();
    const refused = async (path: string, times: number) => {
      let count = 0;
      // A browser has few connections. A thousand at once would test the queue of the socket.
      for (let left = times; left > 0; left -= 50) {
        const burst = Array.from({ length: Math.min(50, left) }, () => limited.send('GET', path));
        count += (await Promise.all(burst)).filter(({ status }) => status === 429).length;
      }
      return count;
    };
    expect(await refused('/embed.js', 121)).toBe(1);
    expect(await refused('/assets/nothing.js', 1_201)).toBe(1);
  });
});

describe('the icon', () => {
  it.each(['/', '/docs', '/docs/guides/webhooks', '/portal', '/dashboard', '/staff', '/checkout', '/authorize/xx'])(
    'is in the HTML of %s',
    async (path) => {
      const { body } = await http.send('GET', path, { headers: { Accept: 'text/html' } });
      expect(body).toContain('<link rel="icon" href="data:image/svg+xml,');
    },
  );

  it('is a file too, for what is no page', async () => {
    const { status, headers } = await http.send('GET', '/favicon.ico');
    expect([status, headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  });
});

describe('without built pages', () => {
  it('a page answers 503 and says so, and nothing else is affected', async () => {
    const paths = { ...pagesPaths(), builds: empty, hasSources: false };
    const without = await startHttp({ change: (deps) => ({ ...deps, pages: createPages({ paths, log: deps.log }) }) });
    const { status, body, headers } = await shellOf(without);
    expect([status, headers.get('retry-after')]).toEqual([503, '30']);
    expect(body).toContain('not available at the moment');
    expect(body).toContain('<link rel="icon"');
    expect((await without.send('GET', '/embed.js')).status).toBe(404);
    expect((await without.send('GET', '/health')).status).toBe(200);
    const errors = without.logged.filter(({ level }) => level === 'error');
    expect(errors.map(({ message }) => message)).toEqual(['the pages are not built: run `npm run build`']);
  });

  it('the newest folder is served if there are no sources beside it', async () => {
    await http.deps.pages.current();
    const { builds } = pagesPaths();
    const paths = { ...pagesPaths(), hasSources: false };
    const pages = createPages({ paths, log: http.deps.log });
    expect((await readdir(builds)).length).toBeGreaterThan(0);
    expect((await pages.current())?.entry('checkout')?.script).toMatch(/^checkout-/);
    expect((await pages.current())?.entry('nothing')).toBeNull();
  });
});

describe('the pages before the first request', () => {
  let root: string;
  beforeEach(async () => {
    root = await temporaryFolder();
  });

  /** A repository whose build of the pages is `script`. */
  async function sources(script: string): Promise<void> {
    for (const folder of ['web', 'machines', 'scripts/build/web', 'docs/guides', 'docs/pictures', 'docs/reference'])
      await mkdir(join(root, folder), { recursive: true });
    for (const name of ['cli', 'client']) await writeFile(join(root, `docs/reference/${name}.md`), `# ${name}\n`);
    await writeFile(join(root, 'package-lock.json'), '{}');
    await writeFile(join(root, 'scripts/build.ts'), script);
    await symlink(join(packageRoot(), 'node_modules'), join(root, 'node_modules'));
  }

  async function prepared(hasSources = true): Promise<string[]> {
    const { log, lines } = recordingLog();
    await preparePages({ paths: { root, builds: join(root, 'dist/web'), hasSources }, log });
    return lines.map(({ message }) => message);
  }

  it('are built when their sources have changed, and the log says so before and after', async () => {
    await sources("import { writeFileSync } from 'node:fs';\nwriteFileSync('built', '');\n");
    expect(await prepared()).toEqual(['building the pages from their sources', 'the pages are built']);
    expect(await readdir(root)).toContain('built');
  });

  it('do not prevent a start if they cannot be built', async () => {
    await sources("throw new Error('a typing mistake');\n");
    const [, failed] = await prepared();
    expect(failed).toBe('the pages cannot be built; the next request for one tries again');
  });

  it('are not built where there are no sources', async () => {
    expect(await prepared(false)).toEqual([]);
  });
});
