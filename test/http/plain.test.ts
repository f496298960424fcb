import { createChains } from '../../src/chains/registry.ts';
import type { HealthReport } from '../../src/http/deps.ts';
import { UnreadableClients } from '../../src/http/unreadable-clients.ts';
import { healthOf } from '../../src/service/health.ts';
import { createLifecycle } from '../../src/service/lifecycle.ts';
import { METRICS_TOKEN, STAFF_TOKEN, startHttp } from '../support/http.ts';

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

describe('a proxy that names no client', () => {
  it('is a line in /health while that lasts', async () => {
    let now = 0;
    const unreadable = new UnreadableClients(() => now);
    const lifecycle = createLifecycle();
    lifecycle.trigger.served();
    const http = await startHttp({
      change: (deps) => ({
        ...deps,
        config: { ...deps.config, trustProxyHops: 1 },
        unreadable,
        health: () =>
          healthOf({
            lifecycle,
            store: deps.store,
            chains: createChains([]),
            clock: deps.clock,
            tickMs: 1_000,
            unreadable,
          }),
      }),
    });
    const health = async () =>
      (await http.send('GET', '/health', { headers: { Authorization: `Bearer ${METRICS_TOKEN}` } })).body;
    const from = (forwarded: string) => http.send('GET', '/embed.js', { headers: { 'X-Forwarded-For': forwarded } });
    const well = { status: 'ok', details: { clients: 'ok' } };
    await from('203.0.113.7:4711');
    expect(await health()).toMatchObject(well);
    await from('unknown');
    const line = /^the proxy's X-Forwarded-For has no readable address of the client: .* 100 times the limit/;
    const ill = { status: 'degraded', details: { clients: expect.stringMatching(line) } };
    expect(await health()).toMatchObject(ill);
    now += 9 * 60_000;
    expect(await health()).toMatchObject(ill);
    now += 60_001;
    expect(await health()).toMatchObject(well);
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
    expect(await elsewhere.send('GET', '/devnet.json')).toMatchObject({ status: 404, body: { error: 'Not found' } });
  });
});
