const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

/** 26 random digits, 130 bits: for names that must be unique, not for secrets. */
export function randomDigits(): string {
  return [...randomBytes(26)].map((byte) => DIGITS[byte % DIGITS.length]).join('');
}

function randomBytes(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  // Node 18 has no global `crypto`.
  if (globalThis.crypto !== undefined) return crypto.getRandomValues(bytes);
  return bytes.map(() => Math.floor(Math.random() * 256));
}
