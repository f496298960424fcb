import { createHmac } from 'node:crypto';
import { newSigningSecret, signBody } from '../../src/webhooks/signature.ts';

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

  it('equals that of another implementation (Python, hmac.new)', () => {
    expect(signBody(secret, 1_767_225_600, rawBody)).toBe(
      'bb584749f9414d31ead664ba8d22417a3dd1ea5ddfa061c6b1056c4aca7cbd92',
    );
  });
});

describe('a signing secret', () => {
  it('is whsec_ and base64 of 32 bytes, and unique', () => {
    const secrets = Array.from({ length: 50 }, newSigningSecret);
    for (const each of secrets) {
      expect(each).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(Buffer.from(each.slice(6), 'base64')).toHaveLength(32);
    }
    expect(new Set(secrets).size).toBe(50);
  });
});
