import { Random } from '../crashtest/random.ts';

/** Chances that do not disturb one another: what is drawn of one changes nothing of the others. */
export interface Chances {
  /** What comes first of what happens at once, and how long things take. */
  readonly pace: Random;
  /** What goes wrong. */
  readonly mishaps: Random;
  /** Who wants what when. */
  readonly story: Random;
  /** What the chains need. */
  readonly chain: Random;
  /** Ids, secrets, nonces. */
  readonly ids: Random;
}

/** The five of a seed. */
export function chancesOf(seed: number): Chances {
  const roots = new Random(seed);
  const next = () => new Random(Math.floor(roots.next() * 2 ** 32));
  return { pace: next(), mishaps: next(), story: next(), chain: next(), ids: next() };
}

/** Fills a buffer. */
export function fill(random: Random, into: Uint8Array): void {
  for (let at = 0; at < into.length; at += 1) into[at] = Math.floor(random.next() * 256);
}
