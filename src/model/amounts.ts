import { unknownCase } from '../../machines/unknown-case.ts';
import { invalid } from '../errors/fault.ts';
import type { ChainFamily } from '../store/collections.ts';

/** The form of decimal amounts in the API (docs/rules.md, "Money"): no sign, no exponent, no grouping. */
export const AMOUNT_PATTERN = /^\d{1,30}(\.\d{1,18})?$/;

/** A non-negative decimal number, exact: `digits` × 10^−`scale`. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

const PLACES_MIN = 2;

/** The largest number of base units that a chain of this family can express (EVM uint256, Solana u64). */
export function largestUnits(family: ChainFamily): bigint {
  switch (family) {
    case 'evm':
      return 2n ** 256n - 1n;
    case 'solana':
      return 2n ** 64n - 1n;
    default:
      return unknownCase(family, 'chain family');
  }
}

/** Parses a decimal amount exactly. Throws 400 naming `field` if it does not match `AMOUNT_PATTERN`. */
export function parseDecimal(text: string, field: string): Decimal {
  if (!AMOUNT_PATTERN.test(text)) {
    throw invalid(`${field} must be a decimal string such as "9.90", with at most 30 digits and 18 decimal places`);
  }
  const [whole = '', fraction = ''] = text.split('.');
  return { digits: BigInt(whole + fraction), scale: fraction.length };
}

/** The properties of a token that its amounts depend on. */
export interface TokenUnits {
  readonly decimals: number;
  readonly family: ChainFamily;
}

/**
 * Converts token units to base units, exactly. Throws 400 naming `field` for a wrong form, more decimals than the token
 * has, or more base units than the chain's integer holds. Accepts zero; a caller that needs more checks it.
 */
export function parseAmount(text: string, token: TokenUnits, field: string): bigint {
  const { digits, scale } = parseDecimal(text, field);
  const surplus = scale - token.decimals;
  if (surplus > 0 && digits % 10n ** BigInt(surplus) !== 0n) {
    throw invalid(`${field} must have at most ${token.decimals} decimal places, as many as the token has`);
  }
  const units = surplus > 0 ? digits / 10n ** BigInt(surplus) : digits * 10n ** BigInt(-surplus);
  return fitting(units, token.family, field);
}

/** `units` if the chain's integer holds it; else throws 400 naming `field`. */
export function fitting(units: bigint, family: ChainFamily, field: string): bigint {
  if (units > largestUnits(family)) throw invalid(`${field} is more than an amount on this chain can express`);
  return units;
}

/**
 * Converts base units to token units in the canonical form: no needless zeros, but at least two decimal places (`9.90`,
 * `0.000001`, `12.00`).
 */
export function formatAmount(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${whole}.${fraction.padEnd(PLACES_MIN, '0')}`;
}

/** a × b, exact. */
export function times(a: Decimal, b: Decimal): Decimal {
  return { digits: a.digits * b.digits, scale: a.scale + b.scale };
}

/**
 * The base units of a token that are worth `value`, when one token costs `perToken`; rounded up (docs/rules.md,
 * "Money"). Throws a RangeError if `perToken` is zero.
 */
export function unitsWorth(value: Decimal, perToken: Decimal, decimals: number): bigint {
  const dividend = value.digits * 10n ** BigInt(decimals + perToken.scale);
  const divisor = perToken.digits * 10n ** BigInt(value.scale);
  return (dividend + divisor - 1n) / divisor;
}

export function isLess(a: Decimal, b: Decimal): boolean {
  return a.digits * 10n ** BigInt(b.scale) < b.digits * 10n ** BigInt(a.scale);
}
