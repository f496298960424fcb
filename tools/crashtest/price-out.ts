import { setTimeout as delay } from 'node:timers/promises';
import type { JsonRpcProvider } from 'ethers';
import { connectTo } from '../../scripts/lib/local-chain.ts';
import type { World } from './world.ts';

const GWEI = 1_000_000_000n;

/** Twice the low one and the usual tip on top is what is offered under it: less than the high one. */
const LOW = GWEI;
const HIGH = 50n * GWEI;

const CHECK_MS = 25;

/**
 * Makes the service replace transactions: each base fee is low when it signs, and high when a block could take what it has
 * signed, until the replacement is in one. Ends when aborted, and leaves the base fee low.
 */
export async function priceOut(world: World, signal: AbortSignal): Promise<void> {
  const provider = connectTo(world.facts);
  try {
    while (!signal.aborted) {
      await step(world, provider);
      await delay(CHECK_MS, undefined, { signal }).catch(() => undefined);
    }
    await setBaseFee(provider, LOW);
    await provider.send('evm_mine', []);
  } finally {
    provider.destroy();
  }
}

async function step(world: World, provider: JsonRpcProvider): Promise<void> {
  const [block, isStuck] = await Promise.all([provider.getBlock('latest'), hasPricedOut(world)]);
  const isHigh = (block?.baseFeePerGas ?? 0n) > 4n * LOW;
  if (isHigh && isStuck) return;
  await setBaseFee(provider, isHigh ? LOW : HIGH);
  if (isHigh || isStuck) await provider.send('evm_mine', []);
}

/** Whether something waits that offers less than the high base fee. */
async function hasPricedOut({ store }: World): Promise<boolean> {
  const signed = await store.records.find('transactions', { where: { state: 'signed' }, limit: 50 });
  return signed.some(({ versions }) => BigInt(versions.at(-1)?.maxFeePerGas ?? 0) < HIGH);
}

/** Of the next block, whoever makes it. */
async function setBaseFee(provider: JsonRpcProvider, wei: bigint): Promise<void> {
  await provider.send('anvil_setNextBlockBaseFeePerGas', [`0x${wei.toString(16)}`]);
}
