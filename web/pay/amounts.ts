/** Base units of a decimal amount; null: not an amount, or more decimal places than the token has. */
export function parseUnits(text: string, decimals: number): bigint | null {
  const match = /^(\d{1,30})(?:[.,](\d+))?$/.exec(text.trim());
  const [, whole = '', places = ''] = match ?? [];
  if (match === null || places.length > decimals) return null;
  return BigInt(whole + places.padEnd(decimals, '0'));
}

/** A decimal amount times a whole number, exact, with as many decimals. */
export function times(amount: string, count: number): string {
  const [whole = '', decimals = ''] = amount.split('.');
  const digits = (BigInt(whole + decimals) * BigInt(count)).toString().padStart(decimals.length + 1, '0');
  const point = digits.length - decimals.length;
  return decimals === '' ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
}
