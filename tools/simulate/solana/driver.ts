import type { LocalChain } from '../../../devnet/solana/local-chain.ts';
import type { Pace } from '../simulated-chain.ts';

/** The longest leap, in slots: beyond the validity of any blockhash. */
const LEAP_MOST = 200;

/** Lets slots pass, with faults, until the run ends. Waiting transactions land in the next slot that takes them. */
export function driveSolana(chain: LocalChain, { time, trace, random, mishaps, onBlock }: Pace, slotMs: number): void {
  const leap = (slots: number): void => {
    trace.say('chain', `leaps ${slots} slots`);
    chain.skip(slots);
  };
  const next = (): void => {
    const waiting = chain.waiting();
    if (waiting.length > 0 && mishaps.draw('chain.drop') !== null) {
      const signature = random.pick(waiting);
      trace.say('chain', `loses ${signature}`);
      chain.lose(signature);
      if (mishaps.draw('chain.lapse') !== null) leap(LEAP_MOST);
    }
    if (mishaps.draw('chain.leap') !== null) leap(random.integer(1, LEAP_MOST));
    const isFull = waiting.length > 0 && mishaps.draw('chain.full') !== null;
    const landed = isFull ? 0 : chain.carryOut();
    if (landed > 0) trace.say('chain', `slot ${chain.slots.slot()} of ${landed}`);
    onBlock(landed > 0);
    time.in(random.integer(Math.floor(slotMs / 2), Math.floor(slotMs * 1.5)), next);
  };
  time.in(slotMs, next);
}
