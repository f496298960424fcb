const UTF_8 = new TextEncoder();

export function bytesOf(text: string): Uint8Array {
  return UTF_8.encode(text);
}

/** The bytes of one text after those of another. */
export function joined(...parts: readonly (string | Uint8Array)[]): Uint8Array {
  const all = parts.map((part) => (typeof part === 'string' ? bytesOf(part) : part));
  const bytes = new Uint8Array(all.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of all) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

export function hexOf(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** @param hex an even number of hexadecimal digits */
export function bytesOfHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

export function base64Of(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** null: the text is no base64. */
export function bytesOfBase64(text: string): Uint8Array | null {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) return null;
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
