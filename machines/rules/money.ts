/** One row of a payout split: percent of the merchant's amount, decimal with at most two decimals. */
export interface SplitRow {
  readonly address: string;
  readonly percentage: string;
}

interface SplitShare {
  readonly address: string;
  readonly amount: bigint;
}

/** How one charge is divided. All parts add up to `gross`; `merchantAmount` is `forward` plus every split. */
export interface Division {
  readonly gross: bigint;
  readonly platformAmount: bigint;
  readonly merchantAmount: bigint;
  /** Paid to the payout wallet itself: the merchant's amount less the splits, dust included. */
  readonly forward: bigint;
  readonly splits: readonly SplitShare[];
}

const BPS = 10_000n;

/**
 * Divides base units by fee (basis points) and splits. Rounds every part down; the merchant keeps the rest. Throws a
 * RangeError if a part would be negative: a negative amount, a fee outside 0 to 10,000, splits above 100 %.
 */
export function divide(gross: bigint, feeBps: number, splits: readonly SplitRow[]): Division {
  requireDivisible(gross, feeBps, splits);
  const platformAmount = (gross * BigInt(feeBps)) / BPS;
  const merchantAmount = gross - platformAmount;
  const shares = splits.map(({ address, percentage }) => ({
    address,
    amount: (merchantAmount * hundredths(percentage)) / BPS,
  }));
  const forward = shares.reduce((rest, share) => rest - share.amount, merchantAmount);
  return { gross, platformAmount, merchantAmount, forward, splits: shares };
}

function requireDivisible(gross: bigint, feeBps: number, splits: readonly SplitRow[]): void {
  if (gross < 0n) throw new RangeError(`an amount of ${gross} cannot be divided; 0 or more was expected`);
  if (!Number.isInteger(feeBps) || feeBps < 0 || feeBps > Number(BPS)) {
    throw new RangeError(`a fee of ${feeBps} basis points; a whole number from 0 to ${BPS} was expected`);
  }
  const sum = splits.reduce((total, { percentage }) => total + hundredths(percentage), 0n);
  if (sum > BPS)
    throw new RangeError(`splits of ${splits.map(({ percentage }) => percentage).join(' + ')} % exceed 100 %`);
}

/** `12.5` → 1250n. Throws a RangeError for anything but a decimal with at most two decimals. */
export function hundredths(percentage: string): bigint {
  const match = /^(\d{1,3})(?:\.(\d{1,2}))?$/.exec(percentage);
  if (!match) throw new RangeError(`percentage "${percentage}" is not a decimal with at most two places`);
  return BigInt(match[1] ?? '0') * 100n + BigInt((match[2] ?? '').padEnd(2, '0'));
}
