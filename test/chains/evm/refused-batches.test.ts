import { JsonRpc, NodeRefused, NodeUnreachable } from '../../../src/chains/rpc.ts';
import { Bench } from './bench.ts';
import { expectPulledOnce } from './once.ts';
import { BATCH_REFUSALS, type Refused, type RpcProxy, refuseBatches, startProxy } from './proxy.ts';
import { startWorld, type World, waitingCharge } from './world.ts';

/** From 100 calls by halves down to three. */
const PROBES = 5;

let world: World;
let bench: Bench;
let proxy: RpcProxy;
let stopPump: () => void = () => {};

beforeAll(async () => {
  world = await startWorld();
});
afterEach(async () => {
  await bench?.stop();
  await proxy?.stop();
  stopPump();
  await world.mine(3);
});
afterAll(() => world?.stop());

describe('a provider that refuses batches of more than three calls', () => {
  it.each(BATCH_REFUSALS)('still lets charges settle, and its size is remembered (%s)', async (form) => {
    bench = new Bench(world);
    proxy = await startProxy(world.anvil.rpcUrl);
    const refused = refuseBatches(proxy, form);
    const chain = bench.chain({ rpcUrl: proxy.url });
    stopPump = world.pump();
    await chain.start();
    const first = waitingCharge(world, { from: await world.payer('mrc_a') });
    await bench.charge(first);
    await bench.untilState([first], 'final');
    expect(refused.count).toBeGreaterThan(0);
    // Several loops may find out at the same time.
    expect(refused.count).toBeLessThanOrEqual(PROBES * 4);
    const known = refused.count;
    const second = waitingCharge(world, { from: await world.payer('mrc_a') });
    await bench.charge(second);
    await bench.untilState([second], 'final');
    await expectPulledOnce(world, first);
    await expectPulledOnce(world, second);
    expect(refused.count).toBe(known);
    expect((await chain.health()).trouble).toBeNull();
  });

  it('is shown with its message if it refuses single calls too, without its key', async () => {
    bench = new Bench(world);
    proxy = await startProxy(world.anvil.rpcUrl);
    const message = 'free tier: no batch requests for key topsecretkey, see https://example.com/topsecretkey';
    proxy.refuse = () => ({ status: 500, body: { jsonrpc: '2.0', id: null, error: { code: 31, message } } });
    const chain = bench.chain({ rpcUrl: `${proxy.url}/v2/topsecretkey` });
    await chain.start();
    await bench.until(
      'health shows the trouble',
      async () => (await chain.health()).trouble?.includes('free tier: no batch') ?? false,
    );
    const shown = JSON.stringify([bench.logged, await chain.health()]);
    expect(JSON.stringify(bench.logged)).toContain('free tier: no batch requests');
    expect(shown).not.toContain('topsecretkey');
  });
});

describe('a request', () => {
  const calls = Array.from({ length: 20 }, () => ({ method: 'eth_chainId', params: [] }));

  async function askAll(refuse: (count: number) => Refused | null) {
    proxy = await startProxy(world.anvil.rpcUrl);
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
    proxy = await startProxy(world.anvil.rpcUrl);
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
    bench = new Bench(world);
    proxy = await startProxy(world.anvil.rpcUrl);
    proxy.rewriteOne = (answer, { method }) =>
      method === 'eth_getBalance' ? { error: { code: -32005, message: 'rate limit exceeded' } } : answer;
    const chain = bench.chain({ rpcUrl: [proxy.url, world.anvil.rpcUrl] });
    stopPump = world.pump();
    await chain.start();
    const charge = waitingCharge(world, { from: await world.payer('mrc_a') });
    await bench.charge(charge);
    await bench.untilState([charge], 'final');
    await expectPulledOnce(world, charge);
    expect(JSON.stringify(bench.logged)).toContain('eth_getBalance: rate limit exceeded');
  });
});
