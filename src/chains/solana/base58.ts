const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const VALUES = new Map([...ALPHABET].map((letter, value) => [letter, value]));

/** Five letters at a time and two bytes at a time: what is carried stays below 2^53. */
const LETTERS = 5;
const CHUNK = 58 ** LETTERS;
const LIMB = 65_536;

/** The same few addresses are written and read all the time; so many are kept in either direction. */
const KEPT = 20_000;
const ADDRESS_BYTES = 32;
const texts = new Map<string, string>();
const addresses = new Map<string, Uint8Array>();

/** Bytes as Solana writes them: Bitcoin's alphabet, one `1` for each leading zero byte. */
export function toBase58(bytes: Uint8Array): string {
  if (bytes.length !== ADDRESS_BYTES) return encode(bytes);
  const name = Buffer.from(bytes.buffer, bytes.byteOffset, ADDRESS_BYTES).toString('latin1');
  return texts.get(name) ?? keep(texts, name, encode(bytes));
}

/** The bytes of such a text; null when it is none. Quadratic: not for texts of some thousand letters. */
export function fromBase58(text: string): Uint8Array | null {
  const known = addresses.get(text);
  if (known) return known.slice();
  const bytes = decode(text);
  if (bytes?.length === ADDRESS_BYTES) keep(addresses, text, bytes.slice());
  return bytes;
}

function keep<T>(known: Map<string, T>, name: string, value: T): T {
  if (known.size >= KEPT) known.clear();
  known.set(name, value);
  return value;
}

function encode(bytes: Uint8Array): string {
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros += 1;
  const limbs = toLimbs(bytes);
  let text = '';
  for (let first = 0; first < limbs.length; ) {
    let rest = 0;
    for (let at = first; at < limbs.length; at += 1) {
      const value = rest * LIMB + (limbs[at] ?? 0);
      limbs[at] = Math.floor(value / CHUNK);
      rest = value % CHUNK;
    }
    while (first < limbs.length && limbs[first] === 0) first += 1;
    // The last chunk, in front, has no leading ones of its own.
    for (let letter = 0; letter < LETTERS && (first < limbs.length || rest > 0); letter += 1) {
      text = (ALPHABET[rest % 58] ?? '') + text;
      rest = Math.floor(rest / 58);
    }
  }
  return '1'.repeat(zeros) + text;
}

function decode(text: string): Uint8Array | null {
  let zeros = 0;
  while (zeros < text.length && text[zeros] === '1') zeros += 1;
  // Least significant first.
  const limbs: number[] = [];
  for (let at = zeros; at < text.length; ) {
    const end = Math.min(at + LETTERS, text.length);
    let factor = 1;
    let carry = 0;
    for (; at < end; at += 1) {
      const value = VALUES.get(text[at] ?? '');
      if (value === undefined) return null;
      factor *= 58;
      carry = carry * 58 + value;
    }
    for (let limb = 0; limb < limbs.length; limb += 1) {
      const value = (limbs[limb] ?? 0) * factor + carry;
      limbs[limb] = value % LIMB;
      carry = Math.floor(value / LIMB);
    }
    for (; carry > 0; carry = Math.floor(carry / LIMB)) limbs.push(carry % LIMB);
  }
  return fromLimbs(limbs, zeros);
}

/** Numbers of two bytes, most significant first. */
function toLimbs(bytes: Uint8Array): number[] {
  const limbs: number[] = [];
  if (bytes.length % 2 === 1) limbs.push(bytes[0] ?? 0);
  for (let at = bytes.length % 2; at < bytes.length; at += 2) limbs.push((bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0));
  return limbs;
}

/** The bytes of limbs, least significant first, behind so many zero bytes. */
function fromLimbs(limbs: readonly number[], zeros: number): Uint8Array {
  const top = limbs.at(-1) ?? 0;
  const length = limbs.length === 0 ? 0 : limbs.length * 2 - (top < 256 ? 1 : 0);
  const bytes = new Uint8Array(zeros + length);
  for (let at = 0; at < length; at += 1) {
    const limb = limbs[at >> 1] ?? 0;
    bytes[bytes.length - 1 - at] = at % 2 === 0 ? limb & 0xff : limb >> 8;
  }
  return bytes;
}
