import { randomUUID } from 'node:crypto';
import { createClient, type Tideline } from 'tideline/client';
import { createMerchant } from '../../scripts/lib/staff.ts';
import type { ServiceProcess } from '../../stage/processes.ts';
import type { TemporaryDevnet } from '../../stage/temporary-devnet.ts';
import { until } from '../../stage/until.ts';
import { FaultyLine } from '../store/support/faulty-line.ts';
import { startTestDevnet } from '../support/devnet.ts';
import { startServiceProcess } from '../support/service.ts';

const STAFF_TOKEN = `${randomUUID()}${randomUUID()}`;
const METRICS_TOKEN = `${randomUUID()}${randomUUID()}`;

let devnet: TemporaryDevnet;
let line: FaultyLine;
let service: ServiceProcess;
let apiKey: string;
let client: Tideline;

beforeAll(async () => {
  devnet = await startTestDevnet();
  line = await FaultyLine.before(devnet.mongoUri);
  const env = {
    LOCAL_DEVNETS: 'off',
    WEBHOOK_ALLOW_LOOPBACK: '0',
    HOST: '127.0.0.1',
    TIDELINE_ROLE: 'api',
    MONGODB_URI: line.uri,
    MONGODB_DB: 'away',
    STAFF_TOKEN,
    METRICS_TOKEN,
  };
  const { dataDir, mongoUri: MONGODB_URI } = devnet;
  service = await startServiceProcess({ dataDir, env });
  await startServiceProcess({ dataDir, env: { ...env, TIDELINE_ROLE: 'worker', MONGODB_URI } });
  ({ testKey: apiKey } = await createMerchant({ url: service.url, token: STAFF_TOKEN }, 'Acme'));
  client = createClient({ baseUrl: `${service.url}/v1`, apiKey });
}, 120_000);

afterAll(async () => {
  await service?.stop();
  await line?.close();
}, 60_000);

/** A probe is promised an answer within a second; this waits for four, because the machine of a test is busy. */
async function ask(path: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${service.url}${path}`, { headers, signal: AbortSignal.timeout(4_000) });
  return { status: answer.status, body: await answer.json() };
}

const AS_MONITOR = { Authorization: `Bearer ${METRICS_TOKEN}` };
const AS_UNKNOWN = { Authorization: 'Bearer unknown' };

/** A service whose database goes away, and comes back (docs/operating.md, "Probes"). */
describe('a service without its database', () => {
  afterEach(async () => {
    line.restore();
    await until(
      'it is ready again',
      () => ask('/readyz'),
      ({ status }) => status === 200,
      { everyMs: 50 },
    );
  });

  it.each([
    ['missing', () => line.cut()],
    ['frozen', () => line.freeze()],
    ['slower than a probe waits', () => line.slow(6_000)],
  ])('is alive and not ready while it is %s, and tells monitoring', async (_what, fault) => {
    expect(await ask('/readyz')).toEqual({ status: 200, body: { status: 'ok' } });
    expect(await ask('/health')).toEqual({ status: 200, body: { status: 'ok' } });
    expect(await ask('/health', AS_MONITOR)).toMatchObject({ status: 200, body: { details: { database: 'ok' } } });
    fault();
    const down = { status: 503, body: { status: 'down' } };
    const details = { phase: 'serving', database: 'does not answer' };
    const probes = ['/livez', '/readyz', '/health'].map((path) => ask(path));
    probes.push(ask('/health', AS_UNKNOWN), ask('/health', AS_MONITOR));
    expect(await Promise.all(probes)).toEqual([
      { status: 200, body: { status: 'ok' } },
      down,
      down,
      down,
      { status: 503, body: { status: 'down', details } },
    ]);
  });

  it('shows the status alone to a token that a slow database has not confirmed', async () => {
    line.slow(600);
    expect(await ask('/readyz')).toEqual({ status: 200, body: { status: 'ok' } });
    expect(await ask('/health', AS_UNKNOWN)).toEqual({ status: 200, body: { status: 'degraded' } });
  });

  it('answers 503 to reads and writes, and serves the client that sends them again', async () => {
    const impatient = createClient({ baseUrl: `${service.url}/v1`, apiKey, maxRetries: 0 });
    line.cut();
    await expect(impatient.offers.list()).rejects.toMatchObject({ status: 503, retryAfter: 1 });
    const customer = client.customers.create({ email: 'a@example.com', idempotencyKey: randomUUID() });
    const customers = client.customers.list();
    line.restore();
    expect(await customer).toMatchObject({ email: 'a@example.com' });
    await customers;
    const { customers: found } = await client.customers.list();
    expect(found).toHaveLength(1);
  });
});
