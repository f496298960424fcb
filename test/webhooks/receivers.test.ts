import { createServer as createTlsServer } from 'node:https';
import { connect as connectTcp, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { buildConnector } from 'undici';
import type { AttemptRecord } from '../../machines/delivery/context.ts';
import { AddressGuard } from '../../src/webhooks/address-guard.ts';
import { HttpPoster } from '../../src/webhooks/http-poster.ts';
import { close, listen } from '../../stage/loopback.ts';
import { until } from '../../stage/until.ts';
import { LOCALHOST_CERTIFICATE, LOCALHOST_KEY } from './localhost-certificate.ts';
import { openReceiver, openTcp, type Receiver, type TcpServer } from './receiver.ts';
import {
  attempted,
  attemptsOf,
  deliveriesOf,
  emit,
  makeMerchant,
  useWorlds,
  type World,
  type WorldOptions,
} from './world.ts';

/** The time for a receiver that will not answer, and for one that will, because the machine may be busy. */
const TIMEOUT_MS = 300;
const PATIENT_MS = 10_000;
/** Long enough for an answer to begin, and short enough to wait for its end. */
const DRIPPING_MS = 2_000;

let receiver: Receiver;
const opened: { close(): Promise<void> }[] = [];
const worlds = useWorlds((made) => {
  receiver = made;
});

afterEach(() => Promise.all(opened.splice(0).map((each) => each.close())));

function open(options: WorldOptions = {}): World {
  return worlds.open({ timeoutMs: PATIENT_MS, ...options });
}

async function tcp(serve: Parameters<typeof openTcp>[0]): Promise<TcpServer> {
  const server = await openTcp(serve);
  opened.push(server);
  return server;
}

/** Delivers one event to the URL. Returns the logged attempt. */
async function attemptAt(url: string, options: WorldOptions = {}): Promise<AttemptRecord> {
  const world = open(options);
  const isLive = url.startsWith('https:');
  const merchant = await makeMerchant(world.store, isLive ? { liveUrl: url } : { testUrl: url });
  const resource = await attempted(world, merchant._id, { mode: isLive ? 'live' : 'test' });
  const [delivery] = await deliveriesOf(world.store, resource._id);
  const [attempt] = attemptsOf(delivery);
  if (!attempt) throw new Error('an attempt was expected');
  expect(delivery?.status).toBe(attempt.status !== null && attempt.status < 300 ? 'delivered' : 'retrying');
  return attempt;
}

const HURRIED = { timeoutMs: TIMEOUT_MS } as const;
const NO_ANSWER = { status: null, body: null, error: `No answer within ${TIMEOUT_MS / 1_000} s` };
const OK = 'HTTP/1.1 200 OK\r\n';
const CLOSED = { status: null, body: null, error: 'Connection closed before the answer' };

/** Writes the text, and then the piece again and again. */
function drips(text: string, piece: string) {
  return (socket: Socket): void => {
    socket.write(text);
    const timer = setInterval(() => socket.write(piece), 20);
    socket.on('close', () => clearInterval(timer));
  };
}

describe('a receiver that', () => {
  it.each<[string, (socket: Socket) => void, Partial<AttemptRecord>, WorldOptions?]>([
    ['accepts the connection and says nothing: the attempt fails after its time', () => {}, NO_ANSWER, HURRIED],
    ['drips its headers: the attempt fails after its time', drips(`${OK}X-Drip: `, 'x'), NO_ANSWER, HURRIED],
    [
      'sends interim answers without end: the attempt fails after its time',
      drips('', 'HTTP/1.1 102 Processing\r\n\r\n'),
      NO_ANSWER,
      HURRIED,
    ],
    [
      'says 200 and drips its body: the attempt succeeds, and the part that came in time is kept',
      drips(`${OK}Content-Length: 1000\r\n\r\n`, 'x'),
      { status: 200, error: null, body: expect.stringMatching(/^x+$/) },
      { timeoutMs: DRIPPING_MS },
    ],
    [
      'closes the connection in the middle of a 200: the attempt succeeds',
      (socket) => void socket.end(`${OK}Content-Length: 1000\r\n\r\nthat is a`, () => socket.destroySoon()),
      { status: 200, body: 'that is a' },
    ],
    ['closes the connection at once: the attempt fails', (socket) => void socket.destroy(), CLOSED],
    [
      'does not speak HTTP: the attempt fails',
      (socket) => void socket.end('SSH-2.0-OpenSSH_9.2\r\n'),
      { error: 'The answer is not HTTP' },
    ],
    [
      'switches to another protocol unasked: the attempt fails',
      (socket) => void socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
      { status: null, body: null, error: expect.stringMatching(/./) },
    ],
  ])('%s', async (_, serve, expected, options = {}) => {
    const { port } = await tcp(serve);
    const attempt = await attemptAt(`http://127.0.0.1:${port}/`, options);
    expect(attempt).toMatchObject(expected);
    if (options === HURRIED) expect(attempt.durationMs).toBeGreaterThanOrEqual(TIMEOUT_MS - 20);
    expect(attempt.durationMs).toBeLessThan(PATIENT_MS);
  });

  it.each<[string, Receiver['reply'], Partial<AttemptRecord>]>([
    [
      'answers in several bytes per character: no character is cut in half',
      (response) => void response.end(`a${'é'.repeat(1_000)}`),
      { body: `a${'é'.repeat(511)}` },
    ],
    [
      'answers with bytes that are not text: the readable part is kept',
      (response) => void response.end(Buffer.from([0xff, 0xfe, 0x00, 0x41])),
      { body: '\ufffd\ufffd\u0000A' },
    ],
    [
      'sends headers without end: the attempt fails',
      (response) => void response.writeHead(200, { 'x-long': 'x'.repeat(40_000) }).end(),
      { status: null, error: 'The headers of the answer are too long' },
    ],
    ['closes the connection after the request: the attempt fails', (response) => void response.destroy(), CLOSED],
    [
      'sends an interim answer first: the final answer counts',
      (response) => {
        response.writeEarlyHints({ link: '</x>; rel=preload' });
        response.writeHead(500).end('late');
      },
      { status: 500, body: 'late' },
    ],
  ])('%s', async (_, reply, expected) => {
    receiver.reply = reply;
    expect(await attemptAt(receiver.url)).toMatchObject(expected);
  });

  it.each([301, 302, 303, 307, 308])('redirects with %i: not followed, the attempt fails', async (status) => {
    const target = await openReceiver();
    opened.push(target);
    receiver.reply = (response) => void response.writeHead(status, { location: target.url }).end();
    expect(await attemptAt(receiver.url)).toMatchObject({ status, error: null });
    expect(target.received).toHaveLength(0);
  });

  it.each([400, 401, 404, 410, 429, 500, 503])('answers %i: the attempt fails; body kept', async (status) => {
    receiver.reply = (response) => void response.writeHead(status, { 'retry-after': '9999' }).end('{"error":"no"}');
    expect(await attemptAt(receiver.url)).toMatchObject({ status, error: null, body: '{"error":"no"}' });
  });

  it('answers without end: a kilobyte is kept, the rest is not read', async () => {
    let sent = 0;
    receiver.reply = (response) =>
      new Promise<void>((resolve) => {
        const write = (): void => {
          while (response.write('é'.repeat(8_192))) sent += 16_384;
        };
        response.on('drain', write);
        response.on('close', resolve);
        write();
      });
    const attempt = await attemptAt(receiver.url);
    expect(attempt.status).toBe(200);
    expect(attempt.body).toBe('é'.repeat(512));
    expect(sent).toBeLessThan(50_000_000);
    expect(attempt.durationMs).toBeLessThan(PATIENT_MS);
  });

  it('does not exist: the attempt fails, and its error has no path or query, which may contain tokens', async () => {
    const gone = await openTcp(() => {});
    await gone.close();
    const attempt = await attemptAt(`http://127.0.0.1:${gone.port}/token-s3cret?key=s3cret`);
    expect(attempt).toMatchObject({ error: 'Connection refused' });
    expect(JSON.stringify(attempt)).not.toContain('s3cret');
  });

  it.each([
    ['has a name that does not resolve: the error says so', [], 'Host name does not resolve'],
    ['has a private address: the error names its kind, not the address', ['10.1.2.3'], 'Address not allowed: private'],
  ])('%s', async (_, addresses, error) => {
    const attempt = await attemptAt('http://receiver.invalid/', { resolve: async () => addresses });
    expect(attempt).toMatchObject({ status: null, error });
  });

  it('answers compressed: its bytes are kept unchanged', async () => {
    const bomb = gzipSync(Buffer.alloc(5_000_000));
    receiver.reply = (response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    const attempt = await attemptAt(receiver.url);
    expect(attempt.status).toBe(200);
    expect(Buffer.byteLength(attempt.body ?? '')).toBeLessThan(4 * 1_024);
  });

  it('accepts the connection and never starts TLS: the attempt fails after its time', async () => {
    const { port } = await tcp(() => {});
    expect(await attemptAt(`https://localhost:${port}/`, HURRIED)).toMatchObject(NO_ANSWER);
  });

  it('does not speak TLS at an https URL: the attempt fails', async () => {
    expect(await attemptAt(`https://localhost:${receiver.port}/`)).toMatchObject({
      status: null,
      error: expect.stringMatching(/^TLS failed \([A-Z0-9_]+\)$/),
    });
    expect(receiver.received).toHaveLength(0);
  });

  it('has an untrusted certificate: the attempt fails, and it receives nothing', async () => {
    let requests = 0;
    const { port } = await tls(() => {
      requests += 1;
    });
    expect(await attemptAt(`https://localhost:${port}/`)).toMatchObject({
      error: 'TLS failed (DEPTH_ZERO_SELF_SIGNED_CERT)',
    });
    expect(requests).toBe(0);
  });
});

describe('over TLS', () => {
  it('the certificate must be for the name of the URL, not for the address behind it', async () => {
    const { port } = await tls((_, response) => response.end('hello'));
    const guard = new AddressGuard({ resolve: async () => ['127.0.0.1'], allowLoopback: true });
    const poster = new HttpPoster({ connect: guard.connector(buildConnector({ ca: LOCALHOST_CERTIFICATE })) });
    opened.push(poster);
    const post = (host: string) =>
      poster.post({ url: new URL(`https://${host}:${port}/`), headers: {}, body: Buffer.from('{}') });
    expect(await post('localhost')).toEqual({ status: 200, error: null, body: 'hello' });
    expect(await post('other.example')).toMatchObject({ error: 'TLS failed (ERR_TLS_CERT_ALTNAME_INVALID)' });
  });
});

/** No attempt ends before its test does. */
const HANGING_MS = 3_600_000;

describe('one endpoint that hangs', () => {
  it('delays nobody else: the others get everything while it still holds its connections', async () => {
    const world = open({ timeoutMs: HANGING_MS });
    const hanging = await tcp(() => {});
    const bad = await makeMerchant(world.store, { testUrl: `http://127.0.0.1:${hanging.port}/` });
    for (let index = 0; index < 200; index += 1) await emit(world, bad._id);
    await until('it hangs', hanging.connections, (count) => count > 0);
    for (let index = 0; index < 50; index += 1) {
      const good = await makeMerchant(world.store, { testUrl: receiver.url });
      await emit(world, good._id);
      await emit(world, good._id);
    }
    await receiver.got(100);
    expect(world.webhooks.sender.isBusy()).toBe(true);
    expect(hanging.connections()).toBeLessThanOrEqual(64);
    await world.webhooks.sender.stop(0);
  });

  it('belongs to one merchant: another merchant on the same host and port is not delayed', async () => {
    const world = open({ timeoutMs: HANGING_MS });
    receiver.reply = (response, { path }) => {
      if (path !== '/hangs') response.end();
    };
    const base = `http://127.0.0.1:${receiver.port}`;
    const bad = await makeMerchant(world.store, { testUrl: `${base}/hangs` });
    for (let index = 0; index < 100; index += 1) await emit(world, bad._id);
    await receiver.got(1);
    const good = await makeMerchant(world.store, { testUrl: `${base}/works` });
    for (let index = 0; index < 20; index += 1) await emit(world, good._id);
    await until(
      'all 20 have come',
      () => receiver.received.filter(({ path }) => path === '/works').length,
      (count) => count === 20,
    );
    await world.webhooks.sender.stop(0);
  });
});

describe('proxies in the environment', () => {
  const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];

  afterEach(() => {
    for (const name of names) delete process.env[name];
  });

  it('see nothing', async () => {
    const proxy = await tcp((socket) => void socket.pipe(connectTcp(receiver.port, '127.0.0.1')).pipe(socket));
    for (const name of names) process.env[name] = `http://127.0.0.1:${proxy.port}`;
    process.env['NODE_USE_ENV_PROXY'] = '1';
    expect(await attemptAt(receiver.url)).toMatchObject({ status: 200 });
    expect(proxy.connections()).toBe(0);
  });
});

async function tls(
  serve: Parameters<typeof createTlsServer>[1],
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const server = createTlsServer({ key: LOCALHOST_KEY, cert: LOCALHOST_CERTIFICATE }, serve);
  server.on('tlsClientError', () => {});
  const handle = { port: await listen(server), close: () => close(server) };
  opened.push(handle);
  return handle;
}
