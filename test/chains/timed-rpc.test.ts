import { type TimedCall, timedRpc } from '../../src/chains/context.ts';
import { JsonRpc, NodeRefused, NodeUnreachable, type RpcTransport } from '../../src/chains/rpc.ts';
import { startJsonRpcNode } from './support/json-rpc-node.ts';

const OPTIONS = { url: 'http://127.0.0.1:1', timeoutMs: 1, batchMax: 1 };

function transport(answer: () => Promise<unknown>): RpcTransport {
  return {
    host: 'a node',
    batch: async (calls) => {
      await answer();
      return calls.map(() => ({ ok: true, result: null }));
    },
    call: answer,
    abort: () => undefined,
    close: async () => undefined,
  };
}

describe('a timed connection', () => {
  it.each<[TimedCall['outcome'], () => Promise<unknown>]>([
    ['answered', async () => 1],
    ['refused', async () => Promise.reject(new NodeRefused('eth_call', 3, 'execution reverted', null))],
    ['unreachable', async () => Promise.reject(new NodeUnreachable('a node: no answer'))],
  ])('notes each call with its outcome, and passes that on: %s', async (outcome, answer) => {
    const noted: [TimedCall, number][] = [];
    const rpc = timedRpc(
      () => transport(answer),
      (asked, seconds) => noted.push([asked, seconds]),
    )(OPTIONS);
    const [one, two] = await Promise.allSettled([
      rpc.call('eth_call', []),
      rpc.batch([
        { method: 'eth_getLogs', params: [] },
        { method: 'eth_call', params: [] },
      ]),
    ]);
    expect([one.status, two.status]).toEqual(Array(2).fill(outcome === 'answered' ? 'fulfilled' : 'rejected'));
    expect(noted).toEqual([
      [{ method: 'eth_call', outcome }, expect.any(Number)],
      [{ method: 'batch', outcome }, expect.any(Number)],
    ]);
    for (const [, seconds] of noted) expect(seconds).toBeGreaterThanOrEqual(0);
  });
});

it('a connection over HTTP gives the time of the server', async () => {
  const { url, stop } = await startJsonRpcNode(async () => '0x1');
  const dates: number[] = [];
  const rpc = new JsonRpc({ ...OPTIONS, url, timeoutMs: 5_000, onDate: (date) => dates.push(date.getTime()) });
  const before = Math.floor(Date.now() / 1_000) * 1_000;
  expect(await rpc.call('eth_blockNumber', [])).toBe('0x1');
  expect(dates).toEqual([expect.any(Number)]);
  expect(dates[0]).toBeGreaterThanOrEqual(before);
  await Promise.all([rpc.close(), stop()]);
});
