const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const VALUES = new Map([...ALPHABET].map((letter, value) => [letter, value]));

/** Bytes as Solana writes them: Bitcoin's alphabet, one `1` for each leading zero byte. */
export function toBase58(bytes: Uint8Array): string {
  const digits: number[] = [];
  for (const byte of bytes) {
    let carry = byte;
    for (let at = 0; at < digits.length; at += 1) {
      carry += (digits[at] ?? 0) * 256;
      digits[at] = carry % 58;
      carry = Math.floor(carry / 58);
    }
    for (; carry > 0; carry = Math.floor(carry / 58)) digits.push(carry % 58);
  }
  const zeros = leading(bytes, (byte) => byte === 0);
  return (
    '1'.repeat(zeros) +
    digits
      .reverse()
      .map((digit) => ALPHABET[digit])
      .join('')
  );
}

/** The bytes of such a text; null when it is none. Quadratic: not for texts of more than some hundred letters. */
export function fromBase58(text: string): Uint8Array | null {
  const bytes: number[] = [];
  for (const letter of text) {
    let carry = VALUES.get(letter);
    if (carry === undefined) return null;
    for (let at = 0; at < bytes.length; at += 1) {
      carry += (bytes[at] ?? 0) * 58;
      bytes[at] = carry % 256;
      carry = Math.floor(carry / 256);
    }
    for (; carry > 0; carry = Math.floor(carry / 256)) bytes.push(carry % 256);
  }
  const zeros = leading(text, (letter) => letter === '1');
  return Uint8Array.from([...new Array<number>(zeros).fill(0), ...bytes.reverse()]);
}

function leading<T>(list: Iterable<T>, is: (item: T) => boolean): number {
  let count = 0;
  for (const item of list) {
    if (!is(item)) break;
    count += 1;
  }
  return count;
}
