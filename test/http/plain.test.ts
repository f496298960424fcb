import type { HealthReport } from '../../src/http/deps.ts';
import { startHttp } from '../support/http.ts';

describe('GET /health', () => {
  it.each([
    ['ok', 200],
    ['degraded', 200],
    ['down', 503],
  ] as const)('answers %s with %i, without a key', async (status, code) => {
    const report: HealthReport = { status, details: { chains: 1 } };
    const http = await startHttp((deps) => ({ ...deps, health: async () => report }));
    const reply = await http.send('GET', '/health');
    expect([reply.status, reply.body]).toEqual([code, report]);
    expect(reply.headers.get('x-request-id')).toMatch(/^req_/);
  });
});

describe('GET /devnet.json', () => {
  it('shows running devnets, and answers 404 elsewhere', async () => {
    const description = { evm: { rpcUrl: 'http://127.0.0.1:8545', chainId: 31337, wallets: [] } };
    const local = await startHttp((deps) => ({ ...deps, devnet: () => description }));
    const elsewhere = await startHttp();
    expect((await local.send('GET', '/devnet.json')).body).toEqual(description);
    expect(await elsewhere.send('GET', '/devnet.json')).toMatchObject({ status: 404, body: { error: 'Not found' } });
  });
});
