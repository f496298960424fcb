/** A percentage from 0 to 100 with at most four decimals, such as "19" or "8.875". */
export const TAX_RATE = /^(100(\.0{1,4})?|\d{1,2}(\.\d{1,4})?)$/;

/** 100 % in ten-thousandths of a percent. */
const WHOLE = 1_000_000n;

/** An amount that was paid, in two parts that add up to it. Base units; negative for what makes an amount less. */
export interface Taxed {
  readonly net: bigint;
  readonly tax: bigint;
}

/** n / d to the nearest integer, halves up. Neither is negative. */
export function nearest(n: bigint, d: bigint): bigint {
  return (2n * n + d) / (2n * d);
}

/** A paid amount without the tax of this rate that it includes. */
export function netOf(paid: bigint, rate: string): bigint {
  const [whole = '', fraction = ''] = rate.split('.');
  return nearest(paid * WHOLE, WHOLE + BigInt(whole + fraction.padEnd(4, '0')));
}

/**
 * Divides each part of a paid amount into net and tax, so that all nets add up to exactly `netUpTo` of all parts:
 * rounding each by itself would not. `before`: the sum of parts that were divided earlier.
 */
export function taxedParts(parts: readonly bigint[], netUpTo: (paid: bigint) => bigint, before = 0n): readonly Taxed[] {
  let sum = before;
  return parts.map((part) => {
    const from = netUpTo(sum);
    sum += part;
    const net = netUpTo(sum) - from;
    return { net, tax: part - net };
  });
}
