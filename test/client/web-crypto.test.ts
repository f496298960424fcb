import { signTestWebhook as signAtOnce, verifyWebhook as verifyAtOnce } from '@tideline/client/node';
import {
  signTestWebhook,
  type VerifyOptions,
  verifyWebhook,
  type WebhookHeaders,
  WebhookVerificationError,
} from '@tideline/client/webhooks';

/** What verify-webhook.test.ts tests of `@tideline/client/node` is compared here with `@tideline/client/webhooks`. */

const SECRET = 'whsec_b2YgYSB0ZXN0LCBhbmQgb2Ygbm90aGluZyBlbHNl';
const OLD_SECRET = 'whsec_dGhlIG9uZSBiZWZvcmUgdGhlIHJvdGF0aW9u';
const NOW = new Date('2030-01-15T10:00:00.000Z');

const EVENT = {
  id: 'evt_01hm0000000000000000000001',
  createdAt: NOW.toISOString(),
  event: 'customer.deleted',
  data: { customerId: 'cust_Zoë' },
} as const;

const { body: BODY, headers: HEADERS } = signAtOnce(EVENT, SECRET, { timestamp: NOW });
const ROTATING = signAtOnce(EVENT, SECRET, { timestamp: NOW, previousSecret: OLD_SECRET }).headers;
const STANDARD = standardOf(HEADERS);

function standardOf(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('webhook-')));
}

type Attempt = readonly [
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  options?: Partial<VerifyOptions>,
];

async function verdict(verify: typeof verifyWebhook | typeof verifyAtOnce, [body, headers, secret, options]: Attempt) {
  try {
    return await verify(body, headers, secret, { mode: 'test', now: NOW, ...options });
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.reason;
    throw error;
  }
}

describe('the verification by WebCrypto', () => {
  it.each<[string, Attempt, unknown]>([
    ['of text', [BODY, HEADERS, SECRET], JSON.parse(BODY)],
    ['of bytes', [new TextEncoder().encode(BODY), new Headers(HEADERS), SECRET], JSON.parse(BODY)],
    ['with white space around the secret', [BODY, HEADERS, ` ${SECRET}\r\n`], JSON.parse(BODY)],
    ['with it, in the standard headers', [BODY, STANDARD, `${SECRET}\n`], JSON.parse(BODY)],
    ['with white space alone', [BODY, HEADERS, ' \n'], 'secret_missing'],
    ['during a rotation', [BODY, ROTATING, OLD_SECRET], JSON.parse(BODY)],
    ['with the headers of Standard Webhooks', [BODY, STANDARD, SECRET], JSON.parse(BODY)],
    ['with these during a rotation', [BODY, standardOf(ROTATING), OLD_SECRET], JSON.parse(BODY)],
    ['of another body', [`${BODY} `, HEADERS, SECRET], 'signature_mismatch'],
    ['with another secret', [BODY, HEADERS, OLD_SECRET], 'signature_mismatch'],
    ['with another secret, in the standard headers', [BODY, STANDARD, OLD_SECRET], 'signature_mismatch'],
    ['with a secret that is not base64', [BODY, STANDARD, 'whsec_-'], 'signature_mismatch'],
    ['with an empty secret', [BODY, HEADERS, ''], 'secret_missing'],
    ['without headers', [BODY, {}, SECRET], 'header_missing'],
    ['of a large body', ['a'.repeat(1_048_577), HEADERS, SECRET], 'body_too_large'],
    ['later', [BODY, HEADERS, SECRET, { now: new Date(NOW.getTime() + 300_001) }], 'timestamp_outside_tolerance'],
    ['of the other mode', [BODY, HEADERS, SECRET, { mode: 'live' }], 'mode_mismatch'],
    ['of no event', ['{}', signAtOnce('{}', SECRET, { timestamp: NOW }).headers, SECRET], 'event_malformed'],
  ])('says what the one of Node says: %s', async (_, attempt, expected) => {
    expect(await verdict(verifyWebhook, attempt)).toEqual(expected);
    expect(await verdict(verifyAtOnce, attempt)).toEqual(expected);
  });

  it('signs as the one of Node does', async () => {
    const options = { timestamp: NOW, previousSecret: OLD_SECRET };
    expect(await signTestWebhook(EVENT, SECRET, options)).toEqual(signAtOnce(EVENT, SECRET, options));
    expect(await signTestWebhook('{ }', SECRET)).toMatchObject({ body: '{ }' });
  });

  it('throws an error that names WebCrypto where a runtime has none', async () => {
    const { crypto } = globalThis;
    Object.defineProperty(globalThis, 'crypto', { value: undefined, configurable: true });
    try {
      await expect(verifyWebhook(BODY, HEADERS, SECRET, { mode: 'test', now: NOW })).rejects.toThrow(
        'There is no WebCrypto here',
      );
    } finally {
      Object.defineProperty(globalThis, 'crypto', { value: crypto, configurable: true });
    }
  });
});
