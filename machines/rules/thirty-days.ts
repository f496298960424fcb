import { z } from 'zod';
import { baseUnits } from '../effects.ts';

/** What charges with a limit of 30 days have taken in one bucket of time. */
export const taken = z.strictObject({
  /** Unix seconds ÷ the length of a bucket. */
  bucket: z.int().nonnegative(),
  amount: baseUnits,
});
export type Taken = z.infer<typeof taken>;

/** 30 days are so many buckets. */
const BUCKETS = 8;
/** The length of a bucket, seconds (`BUCKET` of `Mandates.sol`). */
export const BUCKET_S = (30 * 86_400) / BUCKETS;

/** What 30 days that end at `now` (Unix seconds) can have: the present bucket, and the 8 before it. */
export function takenIn(all: readonly Taken[], now: number): bigint {
  return recent(all, now).reduce((sum, { amount }) => sum + BigInt(amount), 0n);
}

/** With a charge at `now`, and without the buckets that no longer count. */
export function withTaken(all: readonly Taken[], now: number, amount: bigint): Taken[] {
  const bucket = bucketAt(now);
  const counted = recent(all, now);
  const present = counted.find((each) => each.bucket === bucket);
  const sum = amount + BigInt(present?.amount ?? 0);
  return [...counted.filter((each) => each !== present), { bucket, amount: sum.toString() }];
}

/** From when on a charge of `amount` keeps the limit, Unix seconds. One above the limit waits until nothing counts. */
export function allowedWithin(
  all: readonly Taken[],
  { now, amount, limit }: { readonly now: number; readonly amount: bigint; readonly limit: bigint },
): number {
  const moments = [now, ...recent(all, now).map(({ bucket }) => (bucket + BUCKETS + 1) * BUCKET_S)];
  const sorted = moments.sort((one, other) => one - other);
  return sorted.find((moment) => takenIn(all, moment) + amount <= limit) ?? sorted.at(-1) ?? now;
}

function bucketAt(now: number): number {
  return Math.floor(now / BUCKET_S);
}

function recent(all: readonly Taken[], now: number): readonly Taken[] {
  return all.filter(({ bucket }) => bucket + BUCKETS >= bucketAt(now));
}
