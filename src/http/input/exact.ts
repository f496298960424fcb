/** The strings and numbers of a JSON text. Strings are matched too, because digits in them are text. */
const STRINGS_AND_NUMBERS = /"(?:[^"\\]+|\\.)*"|-?\d[\d.eE+-]*/g;

/** A number with this many characters and no exponent is always exact. */
const ALWAYS_KEPT = 15;

/** True if every number of a JSON text keeps its value when parsed. */
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

/** The same text for every spelling of one number: its significant digits, and the power of ten of the last one. */
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
