import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { newSigningSecret, signBody, verifySignature } from '../../src/webhooks/signature.ts';

const secret = 'whsec_c2VjcmV0';
const rawBody = Buffer.from('{"id":"evt_1","name":"Zoë"}');

describe('a signature', () => {
  it('is the HMAC-SHA256 of timestamp, dot and body, with the whole text of the secret as its key', () => {
    const expected = createHmac('sha256', Buffer.from(secret, 'utf8'))
      .update(Buffer.concat([Buffer.from('1767225600.'), rawBody]))
      .digest('hex');
    expect(signBody(secret, 1_767_225_600, rawBody)).toBe(expected);
    expect(expected).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is what another implementation computed (Python, hmac.new)', () => {
    expect(signBody(secret, 1_767_225_600, rawBody)).toBe(
      'bb584749f9414d31ead664ba8d22417a3dd1ea5ddfa061c6b1056c4aca7cbd92',
    );
  });
});

describe('verification', () => {
  const signature = signBody(secret, 100, rawBody);
  const delivery = { secret, timestamp: '100', signature, rawBody };

  it('accepts what was signed, in either case of its digits', () => {
    expect(verifySignature(delivery)).toBe(true);
    expect(verifySignature({ ...delivery, signature: signature.toUpperCase() })).toBe(true);
  });

  it.each([
    ['another body', { rawBody: Buffer.from('{}') }],
    ['another timestamp', { timestamp: '101' }],
    ['a timestamp that is not digits', { timestamp: '100 ' }],
    ['another secret', { secret: 'whsec_b3RoZXI=' }],
    ['the secret without its prefix', { secret: secret.slice('whsec_'.length) }],
    ['no signature', { signature: '' }],
    ['half a signature', { signature: signature.slice(0, 32) }],
    ['a signature that is not hex', { signature: 'z'.repeat(64) }],
    ['one wrong digit', { signature: signature.replace(/.$/, (last) => (last === '0' ? '1' : '0')) }],
  ])('refuses %s', (_, changed) => {
    expect(verifySignature({ ...delivery, ...changed })).toBe(false);
  });

  it('refuses a timestamp outside the tolerance, on both sides', () => {
    const at = (seconds: number) => ({ now: new Date(seconds * 1_000), seconds: 300 });
    expect(verifySignature({ ...delivery, tolerance: at(400) })).toBe(true);
    expect(verifySignature({ ...delivery, tolerance: at(401) })).toBe(false);
    expect(verifySignature({ ...delivery, timestamp: '100', tolerance: at(-201) })).toBe(false);
  });
});

describe('a signing secret', () => {
  it('is whsec_ and base64 of 32 bytes, never the same twice', () => {
    const secrets = Array.from({ length: 50 }, newSigningSecret);
    for (const each of secrets) {
      expect(each).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(Buffer.from(each.slice(6), 'base64')).toHaveLength(32);
    }
    expect(new Set(secrets).size).toBe(50);
  });
});
