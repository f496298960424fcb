import { createServer, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { silentLog } from '../../scripts/lib/silent-log.ts';
import { type HttpServer, startHttpServer } from '../../src/http/server.ts';
import { listen } from '../../stage/loopback.ts';
import { startHttp } from '../support/http.ts';

/** Answers when `stopping` aborts, like a request that waits for a result. */
async function waitingServer(): Promise<{ server: HttpServer; stopping: AbortController; arrived: Promise<void> }> {
  const stopping = new AbortController();
  let arrive = (): void => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    log: silentLog,
    stopping,
    app: (request, response) => {
      arrive();
      if (request.url === '/deaf') return;
      stopping.signal.addEventListener('abort', () => response.end('what is known'));
    },
  });
  return { server, stopping, arrived };
}

/** All bytes of a raw connection until it closes. */
function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (chunk) => {
      received += chunk.toString();
    });
    socket.on('close', () => resolve(received));
    socket.on('error', reject);
  });
}

describe('stopping', () => {
  it('answers a waiting request with the current state, and then ends', async () => {
    const { server, arrived } = await waitingServer();
    const answer = fetch(`http://127.0.0.1:${server.port}/`).then((response) => response.text());
    await arrived;
    await server.stop(5_000);
    expect(await answer).toBe('what is known');
    await expect(fetch(`http://127.0.0.1:${server.port}/`)).rejects.toThrow();
  });

  it('does not wait for idle connections', async () => {
    const http = await startHttp();
    await http.send('GET', '/health');
    await http.deps.store.close();
    const before = performance.now();
    await http.stop();
    expect(performance.now() - before).toBeLessThan(2_000);
  });

  it('ends open requests at the deadline; a second stop waits for the first', async () => {
    const { server, arrived } = await waitingServer();
    const answer = fetch(`http://127.0.0.1:${server.port}/deaf`);
    const failed = expect(answer).rejects.toThrow();
    await arrived;
    await Promise.all([server.stop(50), server.stop(60_000)]);
    await failed;
  });
});

describe('starting', () => {
  it('reports a taken port, and what to do', async () => {
    const other = createServer();
    const port = await listen(other);
    const start = startHttpServer({
      app: () => {},
      host: '127.0.0.1',
      port,
      log: silentLog,
      stopping: new AbortController(),
    });
    await expect(start).rejects.toThrow(`Port ${port} on 127.0.0.1 is taken by another process. Set PORT`);
    other.close();
  });

  it('reports a host that is not an address of this machine', async () => {
    const options = { app: () => {}, port: 0, log: silentLog, stopping: new AbortController() };
    await expect(startHttpServer({ ...options, host: '203.0.113.7' })).rejects.toThrow(
      'HOST 203.0.113.7 is no address',
    );
  });
});

describe('malformed HTTP', () => {
  it.each([
    ['a broken request line', 'HELLO\r\n\r\n', 'the request is not valid HTTP/1.1'],
    ['headers that are too large', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 'the headers are too large'],
  ])('is answered with 400 in the form of every error: %s', async (_what, text, message) => {
    const http = await startHttp();
    const answer = await raw(http.port, text);
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toMatch(/\r\nX-Request-Id: req_/);
    expect(answer.split('\r\n\r\n')[1]).toBe(JSON.stringify({ error: message }));
  });

  it('does not include a request without a Host, or with an unknown expectation', async () => {
    const http = await startHttp();
    const bare = await raw(http.port, 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n');
    expect(bare).toMatch(/^HTTP\/1\.1 200 /);
    const expecting = await new Promise<number | undefined>((resolve, reject) => {
      const options = { port: http.port, path: '/v1/offers', headers: { Expect: 'the-unexpected' } };
      httpRequest(options, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });
    expect(expecting).toBe(401);
  });
});
