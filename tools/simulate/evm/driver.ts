import type { Pace } from '../simulated-chain.ts';
import type { SimChain } from './chain.ts';

export interface EvmDriverOptions {
  readonly blockMs: number;
  /** The depth of the deepest reorganisation; deeper blocks are final. */
  readonly deepest: number;
}

const HOWS = ['again', 'reordered', 'later', 'never'] as const;
export const GWEI = 1_000_000_000n;

/** The probability per block that raised fees fall back. */
const FEES_FALL = 0.15;

/** Makes blocks, with faults, until the run ends. */
export function driveEvm(chain: SimChain, pace: Pace, { blockMs, deepest }: EvmDriverOptions): void {
  const { time, trace, random, mishaps, onBlock } = pace;
  const next = async (): Promise<void> => {
    const isReorganised = await befall(chain, pace, deepest);
    const mayHaveCharges = isReorganised || chain.pool.hashes.length > 0;
    const most = mishaps.draw('chain.full') === null ? Number.POSITIVE_INFINITY : random.integer(0, 1);
    const { number } = await chain.mine(most);
    trace.say('chain', `block ${number}`);
    onBlock(mayHaveCharges);
    time.in(random.integer(Math.floor(blockMs / 2), Math.floor(blockMs * 1.5)), () => void next());
  };
  time.in(blockMs, () => void next());
}

/** Applies the faults of one block. True: it replaced blocks. */
async function befall(chain: SimChain, { mishaps, random, trace }: Pace, deepest: number): Promise<boolean> {
  const waiting = chain.pool.hashes;
  if (waiting.length > 0 && mishaps.draw('chain.drop') !== null) {
    const hash = random.pick(waiting);
    trace.say('chain', `forgets ${hash}`);
    chain.pool.remove(hash);
  }
  if (chain.nextBaseFee > GWEI && random.next() < FEES_FALL) chain.nextBaseFee = GWEI;
  if (mishaps.draw('chain.fees') !== null) chain.nextBaseFee = BigInt(random.integer(1, 400)) * GWEI;
  if (deepest === 0 || mishaps.draw('chain.reorg') === null) return false;
  const depth = random.integer(1, deepest);
  const how = random.pick(HOWS);
  trace.say('chain', `reorganises ${depth} blocks, ${how}`);
  await chain.reorg(depth, how);
  return true;
}
