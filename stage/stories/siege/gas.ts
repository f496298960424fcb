import { parseChargeLogs } from '../../../src/chains/evm/contracts/charge-logs.ts';
import type { LocalChain } from '../../local-chain.ts';
import type { Block } from './judge.ts';

/**
 * The gas of all blocks after `first` by what it was for, and the block of each transaction. The charges of a
 * transaction share its gas equally. `dusty`: the wallet of the hostile merchant.
 */
export async function readGas({ provider, router }: LocalChain, first: number, hostile: Set<string>, dusty: string) {
  const blocks = new Map<string, Block>();
  const gas: { [purpose: string]: bigint } = {};
  for (let number = first + 1; ; number += 1) {
    const block = await provider.getBlock(number);
    if (block === null) return { gas, blockOf: (txHash: string) => blocks.get(txHash) };
    for (const hash of block.transactions) {
      blocks.set(hash, block);
      const { from, to, status, gasUsed = 0n, logs = [] } = (await provider.getTransactionReceipt(hash)) ?? {};
      const purposes = parseChargeLogs(logs, router).map((charge): string => {
        if (charge.kind === 'refused') return 'failed charges';
        return charge.from === dusty ? 'dust payments' : 'charges made';
      });
      if (hostile.has(from ?? '')) purposes.push('hostile approvals');
      else if (to === router && status === 0) purposes.push('failed charges');
      else if (to === router && purposes.length === 0) purposes.push('announced payout wallets');
      const share = gasUsed / BigInt(purposes.length || 1);
      for (const purpose of purposes) gas[purpose] = (gas[purpose] ?? 0n) + share;
    }
  }
}
