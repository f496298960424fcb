/** Base units of a decimal amount; null: not an amount, or more decimal places than the token has. */
export function parseUnits(text: string, decimals: number): bigint | null {
  const match = /^(\d{1,30})(?:[.,](\d+))?$/.exec(text.trim());
  const [, whole = '', places = ''] = match ?? [];
  if (match === null || places.length > decimals) return null;
  return BigInt(whole + places.padEnd(decimals, '0'));
}
