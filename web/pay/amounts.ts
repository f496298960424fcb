/** Base units of a decimal amount; null: not an amount, or more decimal places than the token has. */
export function parseUnits(text: string, decimals: number): bigint | null {
  const match = /^(\d{1,30})(?:[.,](\d+))?$/.exec(text.trim());
  const [, whole = '', places = ''] = match ?? [];
  if (match === null || places.length > decimals) return null;
  return BigInt(whole + places.padEnd(decimals, '0'));
}

/** A decimal amount with at least two places, if the token has them. */
export function formatUnits(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const places = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return decimals === 0 ? whole : `${whole}.${places.padEnd(Math.min(2, decimals), '0')}`;
}
