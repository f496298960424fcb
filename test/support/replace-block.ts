import { type JsonRpcProvider, toQuantity } from 'ethers';

/**
 * Replaces a block and all above it by as many others, of which the first holds `rival`. The local chain makes blocks by itself:
 * if it makes one between the question for its height and the replacement, that does not reach the block, and is repeated.
 */
export async function replaceBlock(
  provider: JsonRpcProvider,
  block: { readonly number: number; readonly hash: string },
  rival: string | null = null,
): Promise<void> {
  for (;;) {
    const height = Number(await provider.send('eth_blockNumber', []));
    await provider.send('anvil_reorg', [height - block.number + 1, rival === null ? [] : [[rival, 0]]]);
    const now = await provider.send('eth_getBlockByNumber', [toQuantity(block.number), false]);
    if (now?.hash !== block.hash) return;
  }
}
