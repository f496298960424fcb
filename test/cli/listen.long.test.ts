import pc from 'picocolors';
import { verifyWebhook, type WebhookEvent } from 'tideline/client';
import { z } from 'zod';
import type { Forwarded } from '../../packages/cli/src/webhooks/forward.ts';
import { type Audience, listen } from '../../packages/cli/src/webhooks/listen.ts';
import { readListenArguments } from '../../packages/cli/src/webhooks/options.ts';
import { lineOf } from '../../packages/cli/src/webhooks/show.ts';
import { insist, type MerchantClient } from '../../stage/merchant-client.ts';
import { type RunningScript, startTideline } from '../scripts/support/run-script.ts';
import { startTestDevnet } from '../support/devnet.ts';
import { type HttpHarness, startHttp } from '../support/http.ts';
import { createTestMerchant } from '../support/merchant.ts';
import { startServiceProcess } from '../support/service.ts';
import { openReceiver, type Receiver } from '../webhooks/receiver.ts';
import { emit, makeMerchant, several } from '../webhooks/world.ts';

const line = z.strictObject({
  event: z.unknown(),
  forward: z
    .strictObject({ status: z.int().nullable(), error: z.string().nullable(), body: z.string(), durationMs: z.int() })
    .nullable(),
});

let receiver: Receiver;
beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(() => receiver.close());

/** The output of a listener after Ctrl-C. */
async function ended(listener: RunningScript): Promise<string[]> {
  listener.child.kill('SIGINT');
  const { exitCode, stdout } = await listener.ended;
  expect(exitCode).toBe(0);
  return stdout.split('\n').filter((each) => each !== '');
}

describe('npm run tideline -- webhooks listen, beside a service', () => {
  it('forwards every event once, signed and in order, and continues when the service comes back', async () => {
    const { dataDir } = await startTestDevnet({ evm: true });
    let service = await startServiceProcess({ dataDir });
    const merchant = await createTestMerchant(() => service, dataDir);
    await newCustomer(merchant, 'before');
    const { port } = new URL(service.url);
    const args = ['listen', '--key', merchant.testKey, '--url', service.url, '--forward', receiver.url, '--json'];
    const listener = startTideline(['webhooks', ...args]);
    await listener.says(/Listening for .*\n.*Signed with whsec_\S+\n/);

    const customers = await Promise.all([1, 2, 3, 4, 5].map((n) => newCustomer(merchant, `first ${n}`)));
    for (const id of customers) await merchant.call('PATCH', `/customers/${id}`, { name: 'Ada' });
    await receiver.got(10);
    service.signal('SIGKILL');
    await service.exited;
    await listener.says(/trying again/);
    service = await startServiceProcess({ dataDir, env: { PORT: port } });
    for (const id of customers) await merchant.call('DELETE', `/customers/${id}`);
    await receiver.got(15);
    await listener.says(/Listening again/);

    const printed = (await ended(listener)).map((each) => line.parse(JSON.parse(each)));
    const log = z.object({ events: z.array(z.unknown()) }).parse(await merchant.call('GET', '/events?limit=100'));
    const happened = log.events.filter((event) => !JSON.stringify(event).includes(first)).map(stringified);
    expect(happened).toHaveLength(15);
    expect(receiver.received.map(({ rawBody }) => rawBody.toString()).toSorted()).toEqual(happened.toSorted());
    expect(printed.map(({ event }) => stringified(event)).toSorted()).toEqual(happened.toSorted());
    expect(printed.every(({ forward }) => forward?.status === 200)).toBe(true);
    const secret = /Signed with (\S+)/.exec((await listener.ended).stderr)?.[1] ?? '';
    for (const { rawBody, headers } of receiver.received) verifyWebhook(rawBody, headers, secret, { mode: 'test' });
    for (const id of customers) {
      const about = receiver.received.filter(({ rawBody }) => rawBody.includes(id));
      expect(about.map(({ envelope }) => [envelope.sequence, envelope.event])).toEqual([
        [1, 'customer.created'],
        [2, 'customer.updated'],
        [3, 'customer.deleted'],
      ]);
    }
    await service.stop();
  }, 120_000);

  /** A customer older than the first listener. */
  let first = '';

  async function newCustomer(merchant: MerchantClient, idempotencyKey: string): Promise<string> {
    const make = () => merchant.call('POST', '/customers', { idempotencyKey });
    const { id } = z.object({ id: z.string() }).parse(await insist(make, new AbortController().signal));
    if (first === '') first = id;
    return id;
  }
});

function stringified(value: unknown): string {
  return JSON.stringify(value);
}

/** A listener in this process, and its output. */
interface Reported {
  readonly audience: Audience;
  readonly reported: { readonly event: WebhookEvent; readonly forwarded: Forwarded | null }[];
  /** Resolves when it is ready; rejects if it ends before. */
  readonly ready: Promise<void>;
  /** Resolves when so many events have come. */
  has(count: number): Promise<void>;
  /** Stops it. */
  stop(): Promise<void>;
}

describe('a listener', () => {
  let http: HttpHarness;
  let key: string;
  let merchantId: string;

  beforeAll(async () => {
    http = await startHttp();
    const made = await http.merchant();
    key = made.testKey;
    merchantId = made.merchant._id;
  });
  afterAll(() => http.stop());

  function listening(forwardTo: string | null, apiKey = key): Reported {
    const stopping = new AbortController();
    const reported: Reported['reported'] = [];
    let isReady = (): void => {};
    const ready = new Promise<void>((resolve) => {
      isReady = resolve;
    });
    const audience: Audience = {
      ready: () => isReady(),
      event: (event, forwarded) => void reported.push({ event, forwarded }),
      trouble: () => {},
      recovered: () => {},
    };
    const ended = listen(
      { url: http.url, apiKey, forwardTo, secret: 'whsec_given', signal: stopping.signal },
      audience,
    );
    return {
      audience,
      reported,
      ready: Promise.race([ready, ended]),
      has: async (count) => {
        while (reported.length < count) await new Promise((resolve) => setImmediate(resolve));
      },
      stop: async () => {
        stopping.abort();
        await ended;
      },
    };
  }

  it('forwards the key’s own sandbox events, each once, whatever the local server answers', async () => {
    receiver.reply = (response, { envelope }) =>
      void response.writeHead(envelope.sequence === 2 ? 400 : 204).end('signature_mismatch\n');
    const listener = listening(receiver.url);
    await listener.ready;
    await emit(http.billing, merchantId, { mode: 'live' });
    await emit(http.billing, (await makeMerchant(http.store))._id);
    await emit(http.billing, merchantId, { events: several(2) });
    await listener.has(2);
    await listener.stop();
    const outcomes = listener.reported.map(({ event, forwarded }) => [
      event.sequence,
      forwarded?.status,
      forwarded?.body,
    ]);
    expect(outcomes).toEqual([
      [1, 204, ''],
      [2, 400, 'signature_mismatch'],
    ]);
    expect(receiver.received).toHaveLength(2);
    for (const { rawBody, headers } of receiver.received)
      verifyWebhook(rawBody, headers, 'whsec_given', { mode: 'test' });
  });

  it('shows the reason if the local server does not answer', async () => {
    const gone = await openReceiver();
    await gone.close();
    const listener = listening(gone.url);
    await listener.ready;
    await emit(http.billing, merchantId);
    await listener.has(1);
    await listener.stop();
    expect(listener.reported[0]?.forwarded).toEqual({
      status: null,
      error: expect.stringMatching(/./),
      body: '',
      durationMs: expect.any(Number),
    });
  });

  it('needs no server to forward to', async () => {
    const listener = listening(null);
    await listener.ready;
    await emit(http.billing, merchantId);
    await listener.has(1);
    await listener.stop();
    expect(listener.reported[0]?.forwarded).toBeNull();
  });

  it('ends if the service does not know the key', async () => {
    await expect(listening(null, 'tl_test_unknown').ready).rejects.toThrow('The service does not know this key.');
  });
});

describe('an event as a line', () => {
  const event: WebhookEvent = {
    id: 'evt_1',
    event: 'payment.failed',
    createdAt: '2026-03-01T12:00:00.000Z',
    isSandbox: true,
    data: { source: 'one_time', paymentId: 'pay_1\u001b[31m', reason: 'pull_reverted' },
    sequence: 2,
  };
  const colors = pc.createColors(false);

  it("shows time, type, resource and the local server's answer; no part can control the terminal", () => {
    const forwarded = { status: 204, error: null, body: '', durationMs: 12 };
    expect(lineOf(event, forwarded, colors)).toMatch(/^12:00:00\.000 {2}payment\.failed +pay_1\?\[31m +204 12 ms$/);
    const failed = { status: null, error: 'connect ECONNREFUSED', body: '', durationMs: 3 };
    expect(lineOf(event, failed, colors)).toMatch(/ connect ECONNREFUSED 3 ms$/);
    const refused = { status: 400, error: null, body: 'body_not_raw\n\u001b[31m', durationMs: 3 };
    expect(lineOf(event, refused, colors)).toMatch(/ 400 3 ms body_not_raw \?\[31m$/);
    expect(lineOf(event, null, colors)).toMatch(/pay_1\?\[31m$/);
  });
});

describe('the arguments of webhooks', () => {
  const read = (...argv: readonly string[]) =>
    readListenArguments(argv, { PORT: '3001', XDG_CONFIG_HOME: '/nobody/has/profiles/here' });

  it('are a test key, and a URL to forward to', async () => {
    const forwardTo = 'http://127.0.0.1:4000/webhooks';
    expect(
      await read('listen', '--key', 'tl_test_a', '--forward', forwardTo, '--secret', 'whsec_x\n', '--json'),
    ).toEqual({
      url: 'http://127.0.0.1:3001',
      apiKey: 'tl_test_a',
      forwardTo,
      secret: 'whsec_x',
      isOwnSecret: false,
      isJson: true,
    });
  });

  it('need no secret: the listener’s own is the same at every start, and differs for another key', async () => {
    const own = await read('listen', '--key', 'tl_test_a');
    expect(own).toEqual(await read('listen', '--key', 'tl_test_a'));
    expect(own.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(own.secret).not.toBe((await read('listen', '--key', 'tl_test_b')).secret);
  });

  it.each([
    [['listen'], 'There is no profile default, and no key'],
    [['listen', '--key', 'tl_live_abc'], '--key is a live key'],
    [['listen', '--key', 'tl_test_abc', '--forward', 'localhost:4000'], '--forward localhost:4000: expected a URL'],
    [['listen', '--key', 'tl_test_abc', '--secret', 'abc'], '--secret is not a signing secret'],
    [['hear'], 'There is no command hear'],
    [[], 'A command is missing'],
  ])('are refused: %j', async (args, message) => {
    await expect(read(...args)).rejects.toThrow(message);
  });
});
