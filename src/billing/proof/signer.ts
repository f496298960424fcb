import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { z } from 'zod';
import type { Json } from '../../../machines/json.ts';
import { canonical } from '../../engine/canonical.ts';

/** A public Ed25519 key as a JSON Web Key (RFC 8037). */
export interface PublicJwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  readonly alg: 'EdDSA';
  readonly use: 'sig';
  readonly kid: string;
}

/** Signs proofs of charge. Never exposes the secret. */
export interface ProofSigner {
  /** Hex of 32 bytes. */
  readonly publicKey: string;
  /** The key's thumbprint (RFC 7638, SHA-256, base64url). */
  readonly keyId: string;
  readonly jwk: PublicJwk;
  /** The Ed25519 signature, hex, over the UTF-8 bytes of the value's canonical JSON (RFC 8785). */
  sign(value: Json): string;
}

/** The PKCS #8 prefix of the 32 secret bytes. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

const jwkSchema = z.object({ x: z.string() });

/** @throws RangeError if the seed has not 32 bytes; its message does not include the seed */
export function createProofSigner(seed: Uint8Array): ProofSigner {
  if (seed.length !== 32) throw new RangeError(`a signing key has 32 bytes, not ${seed.length}`);
  const secret = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
  const { x } = jwkSchema.parse(createPublicKey(secret).export({ format: 'jwk' }));
  const publicKey = Buffer.from(x, 'base64url').toString('hex');
  const jwk = publicJwk(publicKey);
  return {
    publicKey,
    keyId: jwk.kid,
    jwk,
    sign: (value) => sign(null, Buffer.from(canonical(value)), secret).toString('hex'),
  };
}

/** `publicKey`: hex of 32 bytes. */
export function publicJwk(publicKey: string): PublicJwk {
  const x = Buffer.from(publicKey, 'hex').toString('base64url');
  return { kty: 'OKP', crv: 'Ed25519', x, alg: 'EdDSA', use: 'sig', kid: keyIdOf(x) };
}

/** The thumbprint of the key whose 32 bytes are `x`, base64url. */
function keyIdOf(x: string): string {
  return createHash('sha256')
    .update(canonical({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');
}
