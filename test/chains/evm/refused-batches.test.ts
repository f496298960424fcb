import { JsonRpc, NodeRefused, NodeUnreachable } from '../../../src/chains/rpc.ts';
import type { Refused } from '../support/proxy.ts';
import { useEvm } from './bench.ts';

const { world, bench } = useEvm();

describe('a provider that refuses batches of more than three calls', () => {
  it('is shown with its message if it refuses single calls too, without its key', async () => {
    const proxy = await bench.proxy();
    const message = 'free tier: no batch requests for key topsecretkey, see https://example.com/topsecretkey';
    proxy.refuse = () => ({ status: 500, body: { jsonrpc: '2.0', id: null, error: { code: 31, message } } });
    const chain = await bench.start({ rpcUrl: `${proxy.url}/v2/topsecretkey` });
    await bench.untilTrouble(chain, 'free tier: no batch');
    const shown = JSON.stringify([bench.logged, await chain.health()]);
    expect(JSON.stringify(bench.logged)).toContain('free tier: no batch requests');
    expect(shown).not.toContain('topsecretkey');
  });
});

describe('a request', () => {
  const calls = Array.from({ length: 20 }, () => ({ method: 'eth_chainId', params: [] }));

  async function askAll(refuse: (count: number) => Refused | null) {
    const proxy = await bench.proxy();
    const sizes: number[] = [];
    proxy.refuse = (asked) => {
      sizes.push(asked.length);
      return refuse(asked.length);
    };
    const rpc = new JsonRpc({ url: proxy.url, timeoutMs: 2_000, batchMax: 100 });
    const answers = await rpc.batch(calls).catch((error: unknown) => error);
    return { answers, sizes, rpc };
  }

  const error = (code: number, message: string) => ({ jsonrpc: '2.0', id: null, error: { code, message } });

  it.each([
    ['words that nobody knows', { status: 200, body: error(-32000, 'computer says no') }],
    ['an error with status 500', { status: 500, body: error(31, 'Batch of more than 3 requests are not allowed') }],
    ['a status and no JSON-RPC', { status: 413, body: 'Request Entity Too Large' }],
    ['one error in a list', { status: 200, body: [error(-32600, 'batch too large')] }],
    ['an error in the place of the answer', { status: 400, body: { code: -32600, message: 'batch too large' } }],
    ['a text for an error', { status: 400, body: { error: 'batch too large' } }],
  ])('that %s refuses as a whole is repeated in smaller parts', async (_form, refused) => {
    const { answers, sizes, rpc } = await askAll((count) => (count > 5 ? refused : null));
    expect(answers).toEqual(calls.map(() => ({ ok: true, result: `0x${world.chainId.toString(16)}` })));
    expect(sizes.filter((size) => size > 5)).toEqual([20, 10]);
    await rpc.batch(calls);
    expect(sizes.filter((size) => size > 5)).toHaveLength(2);
    await rpc.close();
  });

  it('that is refused at any size has no answer', async () => {
    const { answers, sizes, rpc } = await askAll(() => ({ status: 200, body: error(-32000, 'computer says no') }));
    expect(answers).toBeInstanceOf(NodeUnreachable);
    expect(String(answers)).toContain('computer says no');
    expect(sizes).toEqual([20, 10, 5, 2, 1]);
    await rpc.close();
  });

  it.each([
    ['a rate limit', { status: 429, body: error(429, 'Too many requests') }],
    ['a rate limit within status 200', { status: 200, body: error(-32005, 'rate limit exceeded') }],
    ['an overload', { status: 503, body: 'Service Unavailable' }],
  ])('that meets %s is not repeated at once', async (_form, refused) => {
    const { answers, sizes, rpc } = await askAll(() => refused);
    expect(answers).toBeInstanceOf(NodeUnreachable);
    expect(sizes).toEqual([20]);
    await rpc.close();
  });

  it('recognizes a revert with status 500, and a rate limit of one call', async () => {
    const proxy = await bench.proxy();
    proxy.refuse = ([first, second]) => ({
      status: 500,
      body: [
        { id: first?.id, error: { code: 3, message: 'execution reverted', data: '0x12' } },
        { id: second?.id, error: { code: -32005, message: 'rate limit exceeded' } },
      ],
    });
    const rpc = new JsonRpc({ url: proxy.url, timeoutMs: 2_000, batchMax: 100 });
    const [reverted, limited] = await rpc.batch(calls.slice(0, 2));
    expect(reverted).toMatchObject({ ok: false, error: { isRevert: true, data: '0x12' } });
    expect(reverted?.ok === false && reverted.error).toBeInstanceOf(NodeRefused);
    expect(limited?.ok === false && limited.error).toBeInstanceOf(NodeUnreachable);
    await rpc.close();
  });
});

describe('a rate limit for one call of many', () => {
  it('goes to the next node, and is shown', async () => {
    const proxy = await bench.proxy();
    proxy.rewriteOne = (answer, { method }) =>
      method === 'eth_getBalance' ? { error: { code: -32005, message: 'rate limit exceeded' } } : answer;
    const chain = bench.chain({ rpcUrl: [proxy.url, world.rpcUrl] });
    world.pump();
    await chain.start();
    const charge = await bench.newCharge();
    await bench.settle(charge);
    await bench.expectPulledOnce(charge);
    expect(JSON.stringify(bench.logged)).toContain('eth_getBalance: rate limit exceeded');
  });
});
