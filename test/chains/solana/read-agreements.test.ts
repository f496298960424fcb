import type { RpcAnswer, RpcCall } from '../../../src/chains/rpc.ts';
import { Agreements } from '../../../src/chains/solana/agreements.ts';
import { Delegates, rootOfSeed } from '../../../src/chains/solana/key-root.ts';
import { agreementName, numberReference, readAgreements } from '../../../src/chains/solana/read-agreements.ts';
import { useBounded } from './bounded.ts';

const { mandated } = useBounded();

describe('an agreement whose charge cannot be read', () => {
  const unreadable = [{ signature: 'unreadable', slot: 5, err: null }];
  const endless = Array.from({ length: 1_000 }, () => ({ slot: 5, err: 'AccountInUse' }));

  it.each([
    ['because others name it without end', endless, 'name its charge 1'],
    ['because no node shows its transaction in a known form', unreadable, 'no node shows transaction unreadable'],
  ])('is unsure %s, and keeps no other agreement from being read', async (_why, named, why) => {
    const delegates = new Delegates(rootOfSeed(Buffer.alloc(32, 1)));
    const asked = [await mandated(), await mandated()].map((mandate) => {
      return { name: agreementName(mandate), mandate, likely: 1 };
    });
    const [hostile, honest] = asked.map(({ name }) => name);
    const reference = numberReference({ delegates }, hostile ?? '', 1);
    let lists = 0;
    const answer = ({ method, params: [address] }: RpcCall): RpcAnswer => {
      if (method === 'getFirstAvailableBlock') return { ok: true, result: 0 };
      if (method === 'getTransaction') return { ok: true, result: { version: 'unknown' } };
      if (address !== reference) return { ok: true, result: [] };
      lists += 1;
      return { ok: true, result: named.map((row, index) => ({ signature: `${lists}.${index}`, ...row })) };
    };
    const batch = async (calls: readonly RpcCall[]) => calls.map(answer);
    const endpoint = { name: 'node', batch, contradict: () => undefined };
    const link = { upToDate: async (calls: readonly RpcCall[]) => [{ endpoint, answers: calls.map(answer) }] };
    const readings = await readAgreements({ delegates, agreements: new Agreements(), link }, asked, 0);
    expect(readings.get(hostile ?? '')).toEqual({ kind: 'unsure', why: expect.stringContaining(why) });
    expect(readings.get(honest ?? '')).toMatchObject({ kind: 'known', number: 0 });
    expect(lists).toBeLessThan(30);
  });
});
