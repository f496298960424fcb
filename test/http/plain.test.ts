import { silentLog } from '../../scripts/lib/silent-log.ts';
import { createChains } from '../../src/chains/registry.ts';
import type { HealthReport } from '../../src/http/deps.ts';
import { unreadableClients } from '../../src/http/unreadable-clients.ts';
import type { AppDeps } from '../../src/service/app.ts';
import { createClockCheck, createLifecycle, healthOf } from '../../src/service/health.ts';
import { expectError, METRICS_TOKEN, STAFF_TOKEN, startHttp } from '../support/http.ts';

describe('GET /health', () => {
  const details = { chains: 1 };
  const asked = (report: HealthReport) => startHttp({ change: (deps) => ({ ...deps, health: async () => report }) });

  it.each([
    ['ok', 200],
    ['degraded', 200],
    ['down', 503],
  ] as const)('answers %s with %i, and strangers with nothing else', async (status, code) => {
    const http = await asked({ status, details });
    const reply = await http.send('GET', '/health');
    expect([reply.status, reply.body]).toEqual([code, { status }]);
    expect(reply.headers.get('x-request-id')).toMatch(/^req_/);
  });

  it.each(['ok', 'down'] as const)('shows the details of %s to monitoring and to staff', async (status) => {
    const http = await asked({ status, details });
    for (const token of [METRICS_TOKEN, STAFF_TOKEN]) {
      const headers = { Authorization: `Bearer ${token}` };
      expect((await http.send('GET', '/health', { headers })).body).toEqual({ status, details });
    }
    const headers = { Authorization: 'Bearer wrong' };
    expect((await http.send('GET', '/health', { headers })).body).toEqual({ status });
  });
});

describe('a proxy that names no client, and a clock that is an hour off', () => {
  it('are lines in /health while that lasts', async () => {
    let now = 0;
    let excess: string[] | null = null;
    const unreadable = unreadableClients(() => now);
    const lifecycle = createLifecycle();
    lifecycle.trigger.served();
    const clockCheck = createClockCheck(() => new Date(3_600_000), silentLog);
    const parts = { lifecycle, chains: createChains([]), tickMs: 1_000, unreadable, clockCheck };
    const change = ({ config, ...deps }: AppDeps): AppDeps => ({
      ...{ ...deps, unreadable, config: { ...config, trustProxyHops: 1 } },
      health: () => healthOf({ ...parts, store: deps.store, clock: deps.clock, excess: async () => excess }),
    });
    const http = await startHttp({ change });
    const from = async (forwarded: string) => {
      await http.send('GET', '/embed.js', { headers: { 'X-Forwarded-For': forwarded } });
      return http.send('GET', '/health', { headers: { Authorization: `Bearer ${METRICS_TOKEN}` } });
    };
    const well = { body: { status: 'ok', details: { clients: 'ok' } } };
    expect(await from('203.0.113.7:4711')).toMatchObject(well);
    const clients = expect.stringMatching(/X-Forwarded-For has no readable address .* 100 times the limits/);
    expect(await from('unknown')).toMatchObject({ body: { status: 'degraded', details: { clients } } });
    now += 600_001;
    expect(await from('203.0.113.7')).toMatchObject(well);
    clockCheck.note('node.example', new Date(0));
    const clock = "this machine's clock is 60 minutes ahead of node.example: set it by NTP";
    expect(await from('203.0.113.7')).toMatchObject({ body: { status: 'degraded', details: { clock } } });
    clockCheck.note('node.example', new Date(3_590_000));
    expect(await from('203.0.113.7')).toMatchObject({ body: { status: 'ok', details: { clock: 'ok' } } });
    const users: [string[] | null, string][] = [
      [null, 'none: the database has no access control'],
      [[], 'ok'],
      [['update log'], 'may do more than its role: update log; see npm run ops -- roles'],
    ];
    for (const [more, databaseUser] of users) {
      excess = more;
      expect(await from('203.0.113.7')).toMatchObject({ body: { status: 'ok', details: { databaseUser } } });
    }
  });
});

describe('the probes', () => {
  it('tell a process that lives from one that can serve', async () => {
    const http = await startHttp({ change: (deps) => ({ ...deps, isReady: async () => false }) });
    expect(await http.send('GET', '/livez')).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await http.send('GET', '/readyz')).toMatchObject({ status: 503, body: { status: 'down' } });
    const ready = await startHttp();
    expect(await ready.send('GET', '/readyz')).toMatchObject({ status: 200, body: { status: 'ok' } });
  });
});

describe('GET /devnet.json', () => {
  it('shows running devnets, and answers 404 elsewhere', async () => {
    const description = { evm: { rpcUrl: 'http://127.0.0.1:8545', chainId: 31337, wallets: [] } };
    const local = await startHttp({ change: (deps) => ({ ...deps, devnet: () => description }) });
    const elsewhere = await startHttp();
    expect((await local.send('GET', '/devnet.json')).body).toEqual(description);
    expectError(await elsewhere.send('GET', '/devnet.json'), 404, 'Not found');
  });
});
