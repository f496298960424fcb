import type { RpcAnswer, RpcCall } from '../../../src/chains/rpc.ts';
import { Agreements } from '../../../src/chains/solana/agreements.ts';
import { Delegates } from '../../../src/chains/solana/delegates.ts';
import { rootOfSeed } from '../../../src/chains/solana/key-root.ts';
import { agreementName, numberReference, readAgreements } from '../../../src/chains/solana/read-agreements.ts';
import { useBounded } from './bounded.ts';

const { mandated } = useBounded();

describe('an agreement whose charge others name without end', () => {
  it('is unsure, and keeps no other agreement from being read', async () => {
    const delegates = new Delegates(rootOfSeed(Buffer.alloc(32, 1)));
    const asked = [await mandated(), await mandated()].map((mandate) => {
      return { name: agreementName(mandate), mandate, likely: 1 };
    });
    const [hostile, honest] = asked.map(({ name }) => name);
    const named = numberReference({ delegates }, hostile ?? '', 1);
    let lists = 0;
    const answer = ({ method, params: [address] }: RpcCall): RpcAnswer => {
      if (method === 'getFirstAvailableBlock') return { ok: true, result: 0 };
      if (address !== named) return { ok: true, result: [] };
      lists += 1;
      const failed = (_: unknown, index: number) => ({ signature: `${lists}.${index}`, slot: 5, err: 'AccountInUse' });
      return { ok: true, result: Array.from({ length: 1_000 }, failed) };
    };
    const batch = async (calls: readonly RpcCall[]) => calls.map(answer);
    const endpoint = { name: 'node', batch, contradict: () => undefined };
    const link = { upToDate: async (calls: readonly RpcCall[]) => [{ endpoint, answers: calls.map(answer) }] };
    const readings = await readAgreements({ delegates, agreements: new Agreements(), link }, asked, 0);
    expect(readings.get(hostile ?? '')).toEqual({ kind: 'unsure', why: expect.stringContaining('name its charge 1') });
    expect(readings.get(honest ?? '')).toMatchObject({ kind: 'known', number: 0 });
    expect(lists).toBeLessThan(30);
  });
});
