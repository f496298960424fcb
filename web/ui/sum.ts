/** The exact sum of decimal strings. */
export function sumOf(amounts: readonly string[]): string {
  const places = decimalsOf(amounts);
  return shifted(unitsOf(amounts, places), places);
}

/** What an amount leaves after these; never less than zero. */
export function restOf(amount: string, taken: readonly string[]): string {
  const places = decimalsOf([amount, ...taken]);
  const rest = unitsOf([amount], places) - unitsOf(taken, places);
  return shifted(rest > 0n ? rest : 0n, places);
}

export function isLess(amount: string, other: string): boolean {
  const places = decimalsOf([amount, other]);
  return unitsOf([amount], places) < unitsOf([other], places);
}

function decimalsOf(amounts: readonly string[]): number {
  return Math.max(2, ...amounts.map((amount) => fractionOf(amount).length));
}

function unitsOf(amounts: readonly string[], places: number): bigint {
  const units = amounts.map((amount) => BigInt(amount.split('.')[0] + fractionOf(amount).padEnd(places, '0')));
  return units.reduce((sum, each) => sum + each, 0n);
}

/** A decimal string with two digits after its point, to the nearest; all of its digits if two would say nothing. */
export function cents(amount: string): string {
  const places = fractionOf(amount);
  const units = BigInt(amount.split('.')[0] + places.slice(0, 2).padEnd(2, '0')) + (places.charAt(2) >= '5' ? 1n : 0n);
  return units === 0n && /[1-9]/.test(places) ? amount : shifted(units, 2);
}

function fractionOf(amount: string): string {
  return amount.split('.')[1] ?? '';
}

/** Base units as a decimal string in token units: 9900000 with 6 decimals is "9.900000". */
export function shifted(units: bigint, places: number): string {
  const digits = units.toString().padStart(places + 1, '0');
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/** How many of a hundred one amount is of another, rounded down; null: the other is nothing. */
export function percentOf(part: string, whole: string): number | null {
  const places = decimalsOf([part, whole]);
  const below = unitsOf([whole], places);
  return below === 0n ? null : Number((unitsOf([part], places) * 100n) / below);
}

/** Base units of a decimal amount; null: not an amount, or more decimal places than the token has. */
export function parseUnits(text: string, decimals: number): bigint | null {
  const match = /^(\d{1,30})(?:[.,](\d+))?$/.exec(text.trim());
  const [, whole = '', places = ''] = match ?? [];
  if (match === null || places.length > decimals) return null;
  return BigInt(whole + places.padEnd(decimals, '0'));
}

/** A decimal amount times a whole number, exact, with as many decimals. */
export function times(amount: string, count: number): string {
  const places = fractionOf(amount).length;
  return shifted(unitsOf([amount], places) * BigInt(count), places);
}
