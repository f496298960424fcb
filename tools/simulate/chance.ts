import { Random } from '../crashtest/random.ts';

/** Independent random sources: draws from one change nothing in the others. */
export interface Chances {
  /** The order of simultaneous events, and durations. */
  readonly pace: Random;
  /** Faults. */
  readonly mishaps: Random;
  /** The actions of merchants and payers, and their times. */
  readonly story: Random;
  /** The chains. */
  readonly blocks: Random;
  /** Ids, secrets, nonces. */
  readonly ids: Random;
  /** The refunds of merchants. */
  readonly refunds: Random;
  /** What only some seeds have (`featureOf`). */
  readonly feature: Random;
  /** The pauses of subscriptions. */
  readonly pauses: Random;
  readonly coupons: Random;
}

/** The sources of a seed. A new one is the last, so that the others stay as they are. */
export function chancesOf(seed: number): Chances {
  const roots = new Random(seed);
  const next = () => new Random(Math.floor(roots.next() * 2 ** 32));
  const known = { pace: next(), mishaps: next(), story: next(), blocks: next(), ids: next(), refunds: next() };
  return { ...known, feature: next(), pauses: next(), coupons: next() };
}

/** Fills a buffer with random bytes. */
export function fill(random: Random, into: Uint8Array): void {
  for (let at = 0; at < into.length; at += 1) into[at] = Math.floor(random.next() * 256);
}
