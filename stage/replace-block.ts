import { type JsonRpcProvider, toQuantity } from 'ethers';

/**
 * Replaces a block and all above it by as many others; the first of them contains `rival`. The local chain also makes
 * blocks by itself: if one comes between the request for the height and the replacement, the replacement misses the
 * block and is repeated.
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
