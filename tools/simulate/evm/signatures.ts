import { dataLength, dataSlice, recoverAddress, Signature } from 'ethers';

/** Half of the order of the curve secp256k1: `s` may be this at most, so that nobody can turn a signature into another one. */
export const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/** As `ecrecover`: the signer, or null. ethers also knows other values of `v`, which the chain does not. */
export function recovered(digest: string, v: number, r: string, s: string): string | null {
  if (v !== 27 && v !== 28) return null;
  try {
    return recoverAddress(digest, Signature.from({ v, r, s }));
  } catch {
    return null;
  }
}

/** The signer by the checks of OpenZeppelin's `ECDSA.tryRecoverCalldata`; null: not a signature. `signature` is 0x-hex. */
export function signerOf(digest: string, signature: string): string | null {
  if (dataLength(signature) !== 65) return null;
  const s = dataSlice(signature, 32, 64);
  if (BigInt(s) > HALF_ORDER) return null;
  return recovered(digest, Number(dataSlice(signature, 64)), dataSlice(signature, 0, 32), s);
}
