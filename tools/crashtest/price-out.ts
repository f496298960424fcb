import { setTimeout as delay } from 'node:timers/promises';
import type { JsonRpcProvider } from 'ethers';
import type { World } from './world.ts';

const GWEI = 1_000_000_000n;

/** At the low base fee a sender offers twice that fee plus the usual tip, which is less than the high base fee. */
const LOW = GWEI;
const HIGH = 50n * GWEI;

const CHECK_MS = 25;

/** Forces replacements: a low base fee when it signs, a high one until it is replaced. Ends low, on abort. */
export async function priceOut(world: World, signal: AbortSignal): Promise<void> {
  const { provider } = world.chain;
  while (!signal.aborted) {
    await step(world, provider);
    await delay(CHECK_MS, undefined, { signal }).catch(() => undefined);
  }
  await setBaseFee(provider, LOW);
  await provider.send('evm_mine', []);
}

async function step(world: World, provider: JsonRpcProvider): Promise<void> {
  const [block, isStuck] = await Promise.all([provider.getBlock('latest'), hasPricedOut(world)]);
  const isHigh = (block?.baseFeePerGas ?? 0n) > 4n * LOW;
  if (isHigh && isStuck) return;
  await setBaseFee(provider, isHigh ? LOW : HIGH);
  if (isHigh || isStuck) await provider.send('evm_mine', []);
}

/** True if a signed transaction offers less than the high base fee. */
async function hasPricedOut({ store }: World): Promise<boolean> {
  const signed = await store.records.find('transactions', { where: { state: 'signed' }, limit: 50 });
  return signed.some(({ versions }) => BigInt(versions.at(-1)?.maxFeePerGas ?? 0) < HIGH);
}

/** Sets the base fee of the next block, whoever makes it. */
async function setBaseFee(provider: JsonRpcProvider, wei: bigint): Promise<void> {
  await provider.send('anvil_setNextBlockBaseFeePerGas', [`0x${wei.toString(16)}`]);
}
