import { createPublicKey, verify } from 'node:crypto';
import { inspect } from 'node:util';
import { PublicKey } from '@solana/web3.js';
import { rootOfPublicKey, rootOfSeed } from '../../../src/chains/solana/key-root.ts';

const SEED = new Uint8Array(32).fill(7);
const root = rootOfSeed(SEED);
const publicRoot = rootOfPublicKey(root.publicKey);

/** As a validator checks it, by code that is not the service's. */
function isSignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') };
  return verify(null, message, createPublicKey({ key: jwk, format: 'jwk' }), signature);
}

describe('the root of the operator', () => {
  it('gives the same address with the seed and with the public key alone', () => {
    for (let n = 0; n < 40; n += 1) {
      const [own, shown] = [root.derive(`purpose ${n}`), publicRoot.derive(`purpose ${n}`)];
      expect(shown.address).toBe(own.address);
      expect(Buffer.from(shown.publicKey)).toEqual(Buffer.from(own.publicKey));
      expect(PublicKey.isOnCurve(own.publicKey)).toBe(true);
    }
  });

  it('never changes its derivation: payers have approved these addresses', () => {
    expect(Buffer.from(root.publicKey).toString('hex')).toBe(
      'dc6a66946690f141e1920c49eb06ab52f7f586fee06e4f463e794fbc5bc998a6',
    );
    expect(root.derive('delegate:one').address).toBe('6yvrXSuB3tsZfxzRnFLauNDeskpSz4vhbNedxDNXSq1Z');
  });

  it('signs with every derived key so that others accept it, and only this message of this key', () => {
    for (let n = 0; n < 40; n += 1) {
      const [key, message] = [root.derive(`purpose ${n}`), Buffer.alloc(n * 7, n)];
      const signature = key.sign(message);
      expect(signature).toHaveLength(64);
      expect(isSignature(key.publicKey, message, signature)).toBe(true);
      expect(isSignature(key.publicKey, Buffer.concat([message, Buffer.of(0)]), signature)).toBe(false);
      expect(isSignature(root.publicKey, message, signature)).toBe(false);
      expect(Buffer.from(key.sign(message))).toEqual(Buffer.from(signature));
    }
  });

  it('uses a nonce of its own for every message and every key', () => {
    const signatures = ['a', 'b'].flatMap((purpose) =>
      ['1', '2'].map((message) => root.derive(purpose).sign(Buffer.from(message))),
    );
    expect(new Set(signatures.map((one) => Buffer.from(one.subarray(0, 32)).toString('hex'))).size).toBe(4);
  });

  it('gives other keys for another purpose and for another seed', () => {
    const other = rootOfSeed(new Uint8Array(32).fill(8));
    const addresses = [root, other].flatMap((each) => ['a', 'b'].map((purpose) => each.derive(purpose).address));
    expect(new Set(addresses).size).toBe(4);
  });

  it('signs nothing without the seed, and shows nothing of it', () => {
    const key = publicRoot.derive('a');
    expect(publicRoot.mac).toBeNull();
    expect(() => key.sign(Buffer.from('m'))).toThrow(`has no OPERATOR_SEED, and cannot sign for ${key.address}`);
    const shown = inspect([root, root.derive('a'), root.mac], { depth: 6, showHidden: true });
    expect(shown).not.toMatch(/<Buffer 07 07|7, 7, 7/);
  });

  it('refuses a public key that is no point of the prime order', () => {
    const small = Buffer.alloc(32);
    small[0] = 1;
    expect(() => rootOfPublicKey(small)).toThrow('prime order');
    expect(() => rootOfPublicKey(Buffer.alloc(31))).toThrow();
    expect(() => rootOfPublicKey(Buffer.alloc(32, 0xff))).toThrow();
  });
});
