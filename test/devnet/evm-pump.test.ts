import { startPump } from '../../devnet/evm-pump.ts';
import type { JsonRpc } from '../../devnet/json-rpc.ts';

const SETTINGS = {
  checkMs: 1,
  idleMs: 1,
  restMs: 1,
  burst: 50,
  burstMs: 1,
  blockShare: 1,
  settleBlocks: 2,
  settleMs: 1,
};

/**
 * A node whose pool has `pending` transactions at every check; `late`: the block with a transaction that came after the
 * check.
 */
function nodeWith(late: number, pending = 0) {
  let blocks = 0;
  let looks = 0;
  const waiting: { readonly isSo: () => boolean; readonly go: () => void }[] = [];
  const answers: Readonly<Record<string, () => unknown>> = {
    txpool_status: () => {
      looks += 1;
      return { pending: `0x${pending.toString(16)}` };
    },
    evm_mine: () => {
      blocks += 1;
    },
    eth_getBlockTransactionCountByNumber: () => (blocks === late ? '0x1' : '0x0'),
  };
  const rpc: JsonRpc = {
    call: async (method) => {
      const answer = answers[method]?.();
      for (const each of waiting) if (each.isSo()) each.go();
      return answer;
    },
    close: () => undefined,
  };
  const until = (isSo: () => boolean) => new Promise<void>((go) => waiting.push({ isSo, go }));
  return {
    rpc,
    blocks: () => blocks,
    /** Resolves when the pool has been checked so many times more. */
    checked: (times: number) => {
      const before = looks;
      return until(() => looks >= before + times);
    },
  };
}

describe('after the last transaction', () => {
  it('two empty blocks follow, and no more', async () => {
    const node = nodeWith(Number.POSITIVE_INFINITY);
    const pump = startPump({ rpc: node.rpc, isNew: false, settings: SETTINGS });
    await node.checked(50);
    await pump.stop();
    expect(node.blocks()).toBe(2);
  });

  it('two follow even if it came while an empty block was made', async () => {
    const node = nodeWith(2);
    const pump = startPump({ rpc: node.rpc, isNew: false, settings: SETTINGS });
    await node.checked(50);
    await pump.stop();
    expect(node.blocks()).toBe(4);
  });
});

describe('a chain whose blocks take long', () => {
  /** The blocks of 50 checks; each block is taken for a long one. */
  async function blocksWith(pauseMs: number, pending: number): Promise<number> {
    const node = nodeWith(Number.POSITIVE_INFINITY, pending);
    const settings = { ...SETTINGS, blockShare: 1e12, pauseMs };
    const pump = startPump({ rpc: node.rpc, isNew: false, settings });
    await node.checked(50);
    await pump.stop();
    return node.blocks();
  }

  it.each([1, 60])('pauses after each for as long as it may, with %d transactions pending', async (pending) => {
    expect(await blocksWith(3_600_000, pending)).toBe(1);
    expect(await blocksWith(0, pending)).toBeGreaterThan(5);
  });
});
