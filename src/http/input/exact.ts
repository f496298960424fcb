/** In JSON: its strings, in which digits are text, and its numbers. */
const STRINGS_AND_NUMBERS = /"(?:[^"\\]+|\\.)*"|-?\d[\d.eE+-]*/g;

/** Every number of so few characters, without an exponent, is kept. */
const ALWAYS_KEPT = 15;

/** Whether every number of a JSON text is, once parsed, still the one that was written. */
export function hasExactNumbers(json: string): boolean {
  for (const [token] of json.matchAll(STRINGS_AND_NUMBERS)) {
    if (!token.startsWith('"') && !isExact(token)) return false;
  }
  return true;
}

function isExact(number: string): boolean {
  if (number.length <= ALWAYS_KEPT && !/e/i.test(number)) return true;
  return canonical(number) === canonical(String(Number(number)));
}

/** The same text for every way to write one number: its significant digits, and the power of ten of the last. */
function canonical(number: string): string {
  const [mantissa = '', exponent = '0'] = number.replace('-', '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = whole + fraction;
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  const significant = digits.slice(0, end).replace(/^0+/, '');
  if (significant === '') return '0';
  return `${significant}e${Number(exponent) - fraction.length + digits.length - end}`;
}
