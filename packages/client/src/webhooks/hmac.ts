import type { Signing } from './signing.ts';

const HMAC = { name: 'HMAC', hash: 'SHA-256' } as const;

/** 32 bytes. */
export async function digestOf({ key, content }: Signing): Promise<Uint8Array> {
  const digest = await subtle().sign(HMAC.name, await imported(key, 'sign'), content);
  return new Uint8Array(digest);
}

/** True if one of the signatures is right. Compares each in constant time. */
export async function isSigned({ key, content }: Signing, signatures: readonly Uint8Array[]): Promise<boolean> {
  const imports = await imported(key, 'verify');
  const found = await Promise.all(
    signatures.map((signature) => subtle().verify(HMAC.name, imports, signature, content)),
  );
  return found.includes(true);
}

function imported(key: Uint8Array, usage: 'sign' | 'verify') {
  return subtle().importKey('raw', key, HMAC, false, [usage]);
}

function subtle() {
  const found = globalThis.crypto?.subtle;
  if (found !== undefined) return found;
  throw new Error(
    'There is no WebCrypto here: expected crypto.subtle, which Node has from 20 on, and pages have with https',
  );
}
