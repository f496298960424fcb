import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { join } from 'node:path';
import { z } from 'zod';
import { freePort } from '../../scripts/lib/free-port.ts';
import { listen } from '../../stage/loopback.ts';
import { until } from '../../stage/until.ts';
import { temporaryFolder } from '../runner/after.ts';
import { pathOf } from '../support/repository.ts';

const hasCaddy = spawnSync('caddy', ['version']).status === 0;
if (!hasCaddy) process.stderr.write('\nSKIPPED: caddy: not here (apt-get install caddy)\n\n');

/** Stands for a serving process: it answers with its name and the headers that it got. */
class Upstream {
  readonly #server: Server;
  isReady = true;

  constructor(readonly name: string) {
    this.#server = createServer((request, response) => {
      const status = request.url === '/readyz' && !this.isReady ? 503 : 200;
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ name, headers: request.headers, url: request.url }));
    });
  }

  async listen(): Promise<string> {
    return `127.0.0.1:${await listen(this.#server)}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

const answer = z.object({ name: z.string(), url: z.string(), headers: z.custom<IncomingHttpHeaders>() });

(hasCaddy ? describe : describe.skip)('deploy/Caddyfile, in a Caddy without TLS', () => {
  const upstreams = [new Upstream('api-1'), new Upstream('api-2')];
  let folder: string;
  let base: string;
  let caddy: ReturnType<typeof spawn>;
  let log = '';

  beforeAll(async () => {
    folder = await temporaryFolder();
    let text = await readFile(pathOf('deploy/Caddyfile'), 'utf8');
    for (const upstream of upstreams) text = text.replace(`${upstream.name}:3000`, await upstream.listen());
    await writeFile(join(folder, 'Caddyfile'), text);
    base = `http://127.0.0.1:${await freePort()}`;
    const env = {
      PATH: process.env['PATH'],
      HOME: folder,
      CADDY_ADMIN: `127.0.0.1:${await freePort()}`,
      PUBLIC_URL: base,
    };
    caddy = spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', 'Caddyfile'], { cwd: folder, env });
    caddy.stderr?.setEncoding('utf8').on('data', (line: string) => {
      log += line;
    });
    await until(
      'Caddy serves',
      () => ask('/health').catch(() => null),
      (found) => found !== null,
      { explain: () => log },
    );
  });

  afterAll(async () => {
    caddy.kill();
    await once(caddy, 'exit');
    for (const upstream of upstreams) upstream.close();
  });

  /** null: the proxy has no upstream. */
  async function ask(path: string, headers: Readonly<Record<string, string>> = {}) {
    const response = await fetch(new URL(path, base), { headers });
    return response.status === 200 ? answer.parse(await response.json()) : null;
  }

  it('hands requests on, with the address of the client and none that the client invents', async () => {
    const found = await ask('/v1/offers?limit=1', { 'X-Forwarded-For': '203.0.113.9', Authorization: 'Bearer sk' });
    expect(found).toMatchObject({ url: '/v1/offers?limit=1', headers: { authorization: 'Bearer sk' } });
    expect(found?.headers['x-forwarded-for']).toBe('127.0.0.1');
    expect(found?.headers['x-forwarded-proto']).toBe('http');
    expect(found?.headers.host).toBe(new URL(base).host);
  });

  it.each(['/metrics', '/livez', '/readyz'])('does not show %s', async (path) => {
    expect((await fetch(new URL(path, base))).status).toBe(404);
  });

  it('leaves out a process that is not ready, and takes it back', async () => {
    const named = async () =>
      new Set(await Promise.all(Array.from({ length: 20 }, async () => (await ask('/health'))?.name)));
    const [first, second] = upstreams;
    await until('both answer', named, (names) => names.size === 2, { explain: () => log });
    if (first !== undefined) first.isReady = false;
    const alone = (names: Set<string | undefined>) => names.size === 1 && names.has(second?.name);
    await until('one answers', named, alone, { everyMs: 200, explain: () => log });
    if (first !== undefined) first.isReady = true;
    await until('both answer again', named, (names) => names.size === 2, { everyMs: 200, explain: () => log });
  });

  it('writes no path into its log: paths have the tokens of links', async () => {
    await ask('/authorize/secret-of-a-link');
    expect(log).not.toContain('secret-of-a-link');
  });
});
