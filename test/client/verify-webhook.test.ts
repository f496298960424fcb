import { createHmac } from 'node:crypto';
import { signTestWebhook, verifyWebhook as verifyAtOnce } from '@tideline/client/node';
import {
  signTestWebhook as signLater,
  verifyWebhook,
  type WebhookHeaders,
  WebhookVerificationError,
} from '@tideline/client/webhooks';
import { Webhook } from 'standardwebhooks';

/** Each test tries both forms, by WebCrypto and by Node's own crypto, which say the same. */

const SECRET = 'whsec_b2YgYSB0ZXN0LCBhbmQgb2Ygbm90aGluZyBlbHNl';
const OLD_SECRET = 'whsec_dGhlIG9uZSBiZWZvcmUgdGhlIHJvdGF0aW9u';
const NOW = new Date('2030-01-15T10:00:00.000Z');
const SECONDS = NOW.getTime() / 1_000;

const BODY = JSON.stringify({
  id: 'evt_01hm0000000000000000000001',
  event: 'payment.succeeded',
  createdAt: '2030-01-15T09:59:59.000Z',
  isSandbox: true,
  data: { paymentId: 'pay_01hm0000000000000000000001', note: 'Zoë ☕' },
  sequence: 1,
});

/** Signs as the reference says (section 6), without code of the client. */
function hmac(secret: string, timestamp: string, body: string | Uint8Array): string {
  const signed = Buffer.concat([Buffer.from(`${timestamp}.`, 'utf8'), Buffer.from(body)]);
  return createHmac('sha256', Buffer.from(secret, 'utf8')).update(signed).digest('hex');
}

/** Signs as the Standard Webhooks specification says, without code of the client. */
function standard(secret: string, id: string, body: string | Uint8Array): string {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = Buffer.concat([Buffer.from(`${id}.${SECONDS}.`, 'utf8'), Buffer.from(body)]);
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}

interface Delivery {
  readonly body?: string | Uint8Array;
  readonly timestamp?: string;
  readonly signature?: string;
}

function headersOf({ body = BODY, timestamp = String(SECONDS), signature }: Delivery = {}): Record<string, string> {
  return { 'X-Service-Timestamp': timestamp, 'X-Service-Signature': signature ?? hmac(SECRET, timestamp, body) };
}

interface Attempt {
  readonly body?: string | Uint8Array;
  readonly headers?: WebhookHeaders;
  readonly secret?: string;
  readonly mode?: 'test' | 'live';
  readonly now?: Date;
  readonly toleranceSeconds?: number;
}

/** The event, or the reason of a refusal. Any other error fails the test. */
async function verdictOf(verify: typeof verifyWebhook | typeof verifyAtOnce, given: readonly unknown[]) {
  try {
    const event: ReturnType<typeof verifyAtOnce> = await Reflect.apply(verify, undefined, given);
    return { event, reason: null };
  } catch (error) {
    if (error instanceof WebhookVerificationError) return { event: null, reason: error.reason };
    throw error;
  }
}

/** What both forms say of a call, also of one without types. */
async function verdict(...given: readonly unknown[]) {
  const said = await verdictOf(verifyWebhook, given);
  expect(await verdictOf(verifyAtOnce, given)).toEqual(said);
  return said;
}

function tried({ body = BODY, headers = headersOf(), secret = SECRET, ...options }: Attempt) {
  return verdict(body, headers, secret, { mode: 'test', now: NOW, ...options });
}

async function verify(attempt: Attempt = {}) {
  const { event, reason } = await tried(attempt);
  if (event === null) throw new Error(`it was refused: ${reason}`);
  return event;
}

/** The reason of a refusal. */
const refusal = async (attempt: Attempt = {}) => (await tried(attempt)).reason;

describe('a delivery that the service signed', () => {
  it('returns its event, typed by its name', async () => {
    const event = await verify();
    expect(event).toEqual(JSON.parse(BODY));
    if (event.event !== 'payment.succeeded' || !('paymentId' in event.data)) throw new Error('it is another event');
    expect(event.data.paymentId).toBe('pay_01hm0000000000000000000001');
  });

  it.each<[string, WebhookHeaders]>([
    ['Headers of fetch', new Headers(headersOf())],
    ['the lower case of Node', { ...lowerCase(headersOf()), host: 'shop.example.com', 'set-cookie': ['a', 'b'] }],
    ['upper case', upperCase(headersOf())],
  ])('is accepted with headers as %s', async (_, headers) => {
    expect(await verify({ headers })).toMatchObject({ id: 'evt_01hm0000000000000000000001' });
  });

  it('is accepted as bytes, as a part of a larger buffer, and with signature digits in either case', async () => {
    const bytes = Buffer.from(BODY);
    const larger = Buffer.concat([Buffer.from('before'), bytes, Buffer.from('after')]);
    expect(await verify({ body: bytes })).toMatchObject({ sequence: 1 });
    expect(await verify({ body: new Uint8Array(bytes) })).toMatchObject({ sequence: 1 });
    expect(await verify({ body: larger.subarray(6, 6 + bytes.length) })).toMatchObject({ sequence: 1 });
    const signature = hmac(SECRET, String(SECONDS), BODY).toUpperCase();
    expect(await verify({ headers: headersOf({ signature }) })).toMatchObject({ sequence: 1 });
  });

  it('may have a kind that is newer than the client', async () => {
    const body = BODY.replace('payment.succeeded', 'payment.dreamt');
    expect(await verify({ body, headers: headersOf({ body }) })).toMatchObject({ event: 'payment.dreamt' });
  });
});

describe('a body that was changed', () => {
  const bytes = Buffer.from(BODY);

  it('is refused for any changed byte', async () => {
    const reasons = [...bytes.keys()].map((index) => {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
      return refusal({ body: changed });
    });
    expect(await Promise.all(reasons)).toEqual(Array.from(bytes, () => 'signature_mismatch'));
  });

  it.each([
    ['longer at its end', Buffer.concat([bytes, Buffer.from(' ')])],
    ['longer at its beginning', Buffer.concat([Buffer.from(' '), bytes])],
    ['shorter', bytes.subarray(0, -1)],
    ['written anew from the same JSON', Buffer.from(JSON.stringify(JSON.parse(BODY), null, 1))],
    ['empty', Buffer.alloc(0)],
  ])('is refused if it is %s', async (_, body) => {
    expect(await refusal({ body })).toBe('signature_mismatch');
  });

  it('is refused if a digit of the timestamp was moved into it', async () => {
    const timestamp = String(SECONDS);
    const headers = headersOf({ timestamp: timestamp.slice(0, -1), signature: hmac(SECRET, timestamp, BODY) });
    expect(await refusal({ headers, body: `${timestamp.at(-1)}.${BODY}` })).toBe('signature_mismatch');
  });
});

describe('a signature that was changed', () => {
  it('is refused for any changed digit', async () => {
    const signature = hmac(SECRET, String(SECONDS), BODY);
    const reasons = [...signature].map((digit, index) => {
      const changed = `${signature.slice(0, index)}${digit === '0' ? '1' : '0'}${signature.slice(index + 1)}`;
      return refusal({ headers: headersOf({ signature: changed }) });
    });
    expect(await Promise.all(reasons)).toEqual(Array.from(signature, () => 'signature_mismatch'));
  });

  it.each([
    ['made with another secret', hmac(OLD_SECRET, String(SECONDS), BODY)],
    ['made without the prefix of the secret', hmac(SECRET.replace('whsec_', ''), String(SECONDS), BODY)],
    ['made at another moment', hmac(SECRET, String(SECONDS - 1), BODY)],
    ['made of the body alone', createHmac('sha256', SECRET).update(BODY).digest('hex')],
  ])('is refused if it is %s', async (_, signature) => {
    expect(await refusal({ headers: headersOf({ signature }) })).toBe('signature_mismatch');
  });
});

describe('headers in another form', () => {
  const good = headersOf();
  const timestamp = String(SECONDS);
  const signature = hmac(SECRET, timestamp, BODY);

  it.each<[string, string, unknown]>([
    ['no headers at all', 'header_missing', {}],
    ['no timestamp', 'header_missing', { 'X-Service-Signature': signature }],
    ['no signature', 'header_missing', { 'X-Service-Timestamp': timestamp }],
    ['only a previous signature', 'header_missing', { ...only('X-Service-Signature-Previous', signature), timestamp }],
    ['undefined for headers', 'header_malformed', undefined],
    ['null for headers', 'header_malformed', null],
    ['text for headers', 'header_missing', `X-Service-Signature: ${signature}`],
    ['headers that throw', 'header_malformed', throwing()],
    ['a list of signatures', 'header_malformed', { ...good, 'X-Service-Signature': [signature, signature] }],
    ['a list of one timestamp', 'header_malformed', { ...good, 'X-Service-Timestamp': [timestamp] }],
    ['a number', 'header_malformed', { ...good, 'X-Service-Timestamp': SECONDS }],
    ['two signatures joined', 'header_malformed', { ...good, 'X-Service-Signature': `${signature}, ${signature}` }],
    ['two spellings of one name', 'header_malformed', { ...good, 'x-service-signature': signature }],
    ['a signature that is no hex', 'header_malformed', { ...good, 'X-Service-Signature': 'z'.repeat(64) }],
    ['half a signature', 'header_malformed', { ...good, 'X-Service-Signature': signature.slice(32) }],
    ['a longer signature', 'header_malformed', { ...good, 'X-Service-Signature': `${signature}00` }],
    ['a signature with its scheme', 'header_malformed', { ...good, 'X-Service-Signature': `v1=${signature}` }],
    ['an empty signature', 'header_malformed', { ...good, 'X-Service-Signature': '' }],
    ['a huge signature', 'header_malformed', { ...good, 'X-Service-Signature': 'a'.repeat(10_000_000) }],
    ['a timestamp that is NaN', 'header_malformed', { ...good, 'X-Service-Timestamp': 'NaN' }],
    ['an infinite timestamp', 'header_malformed', { ...good, 'X-Service-Timestamp': 'Infinity' }],
    ['a timestamp with a fraction', 'header_malformed', { ...good, 'X-Service-Timestamp': `${timestamp}.5` }],
    ['a timestamp with a sign', 'header_malformed', { ...good, 'X-Service-Timestamp': `+${timestamp}` }],
    ['a timestamp in hex', 'header_malformed', { ...good, 'X-Service-Timestamp': '0x70' }],
    ['a timestamp with a newline', 'header_malformed', { ...good, 'X-Service-Timestamp': `${timestamp}\n` }],
    ['a date', 'header_malformed', { ...good, 'X-Service-Timestamp': NOW.toISOString() }],
    ['an empty timestamp', 'header_malformed', { ...good, 'X-Service-Timestamp': '' }],
    ['a previous signature that is none', 'header_malformed', { ...good, 'X-Service-Signature-Previous': 'none' }],
  ])('are refused: %s', async (_, reason, headers) => {
    expect((await verdict(BODY, headers, SECRET, { now: NOW })).reason).toBe(reason);
  });

  it('are not read from inherited properties', async () => {
    expect(await refusal({ headers: Object.create(good) })).toBe('header_missing');
  });
});

describe('the tolerance', () => {
  const at = (ms: number) => new Date(NOW.getTime() + ms);

  it('is 300 seconds in both directions by default, exact to the millisecond', async () => {
    expect(await verify({ now: at(300_000) })).toMatchObject({ sequence: 1 });
    expect(await verify({ now: at(-300_000) })).toMatchObject({ sequence: 1 });
    expect(await refusal({ now: at(300_001) })).toBe('timestamp_outside_tolerance');
    expect(await refusal({ now: at(-300_001) })).toBe('timestamp_outside_tolerance');
  });

  it('can be set', async () => {
    expect(await verify({ now: at(0), toleranceSeconds: 0 })).toMatchObject({ sequence: 1 });
    expect(await refusal({ now: at(1), toleranceSeconds: 0 })).toBe('timestamp_outside_tolerance');
    expect(await verify({ now: at(86_400_000), toleranceSeconds: 86_400 })).toMatchObject({ sequence: 1 });
    expect(await verify({ now: at(10 * 365 * 86_400_000), toleranceSeconds: Infinity })).toMatchObject({ sequence: 1 });
  });

  it.each([Number.NaN, -1])('accepts nothing if it is %d', async (toleranceSeconds) => {
    expect(await refusal({ toleranceSeconds })).toBe('timestamp_outside_tolerance');
  });

  it('uses the real clock unless a time is given', async () => {
    const { body, headers } = signTestWebhook({ event: 'customer.deleted', data: { customerId: 'cust_1' } }, SECRET);
    expect(await verdict(body, headers, SECRET, { mode: 'test' })).toMatchObject({
      event: { event: 'customer.deleted' },
    });
    expect((await verdict(BODY, headersOf(), SECRET, { mode: 'test' })).reason).toBe('timestamp_outside_tolerance');
  });

  it('is checked after the signature: a forged old delivery counts as forged', async () => {
    const headers = headersOf({ timestamp: '1', signature: 'a'.repeat(64) });
    expect(await refusal({ headers })).toBe('signature_mismatch');
  });
});

describe('during a rotation with overlap', () => {
  const timestamp = String(SECONDS);
  const headers = { ...headersOf(), 'X-Service-Signature-Previous': hmac(OLD_SECRET, timestamp, BODY) };

  it('a delivery is accepted with the new and with the old secret', async () => {
    expect(await verify({ headers })).toMatchObject({ sequence: 1 });
    expect(await verify({ headers, secret: OLD_SECRET })).toMatchObject({ sequence: 1 });
  });

  it('a delivery is refused with a third secret, or with another body', async () => {
    expect(await refusal({ headers, secret: 'whsec_other' })).toBe('signature_mismatch');
    expect(await refusal({ headers, secret: OLD_SECRET, body: `${BODY} ` })).toBe('signature_mismatch');
  });
});

describe('the mode', () => {
  const live = BODY.replace('"isSandbox":true', '"isSandbox":false');

  it.each(['X-Service-Signature-Mode', 'X-Service-Signature-Mode-Previous'])(
    'has a secret, which signs in %s',
    async (name) => {
      const headers = headersOf({ signature: hmac(OLD_SECRET, String(SECONDS), BODY) });
      expect(await verify({ headers: { ...headers, [name]: hmac(SECRET, String(SECONDS), BODY) } })).toMatchObject({
        sequence: 1,
      });
    },
  );

  it('refuses an event of the other mode, though its signature is right', async () => {
    expect(await refusal({ mode: 'live' })).toBe('mode_mismatch');
    expect(await refusal({ body: live, headers: headersOf({ body: live }) })).toBe('mode_mismatch');
    expect(await verify({ body: live, headers: headersOf({ body: live }), mode: 'live' })).toMatchObject({
      isSandbox: false,
    });
  });

  it('is required', async () => {
    const { body, headers } = signTestWebhook(BODY, SECRET);
    for (const options of [[], [{}]])
      expect((await verdict(body, headers, SECRET, ...options)).reason).toBe('mode_mismatch');
  });
});

describe('a delivery with only the headers of Standard Webhooks', () => {
  const id = 'evt_01hm0000000000000000000001';
  const good = {
    'webhook-id': id,
    'webhook-timestamp': String(SECONDS),
    'webhook-signature': standard(SECRET, id, BODY),
  };
  const signedWith = (signature: string) => ({ ...good, 'webhook-signature': signature });

  it.each<[string, WebhookHeaders]>([
    ['as they are', good],
    ['of fetch', new Headers(good)],
    ['in upper case', upperCase(good)],
    ['with a signature of another version', signedWith(`v1a,abc ${good['webhook-signature']}`)],
    [
      'with the signature of another secret before',
      signedWith(`${standard(OLD_SECRET, id, BODY)} ${good['webhook-signature']}`),
    ],
  ])('is accepted: %s', async (_, headers) => {
    expect(await verify({ headers })).toMatchObject({ id });
  });

  it.each<[string, string, Record<string, string>]>([
    ['another id', 'signature_mismatch', { ...good, 'webhook-id': 'evt_2' }],
    ['another timestamp', 'signature_mismatch', { ...good, 'webhook-timestamp': String(SECONDS + 1) }],
    ['another secret', 'signature_mismatch', signedWith(standard(OLD_SECRET, id, BODY))],
    ['a short signature', 'signature_mismatch', signedWith('v1,AAAA')],
    ['no id', 'header_missing', without(good, 'webhook-id')],
    ['no timestamp', 'header_missing', without(good, 'webhook-timestamp')],
    ['no signature', 'header_missing', without(good, 'webhook-signature')],
    ['only another version', 'header_malformed', signedWith('v1a,abc')],
    ['the signature of the service', 'header_malformed', signedWith(hmac(SECRET, String(SECONDS), BODY))],
  ])('is refused: %s', async (_, reason, headers) => {
    expect(await refusal({ headers })).toBe(reason);
  });

  it('is refused when it is old, and with a secret that is not base64', async () => {
    expect(await refusal({ headers: good, now: new Date(NOW.getTime() + 300_001) })).toBe(
      'timestamp_outside_tolerance',
    );
    expect(await refusal({ headers: good, secret: 'whsec_not-base64' })).toBe('signature_mismatch');
  });

  it('is refused if its body was changed', async () => {
    expect(await refusal({ headers: good, body: `${BODY} ` })).toBe('signature_mismatch');
  });

  it('does not excuse a wrong signature of the service', async () => {
    const headers = { ...good, ...headersOf({ signature: 'a'.repeat(64) }) };
    expect(await refusal({ headers })).toBe('signature_mismatch');
  });
});

describe('a body that is not an event', () => {
  const signed = (body: string | Uint8Array) => refusal({ body, headers: headersOf({ body }) });

  it.each([
    ['nothing', ''],
    ['text', 'hello'],
    ['null', 'null'],
    ['a number', '7'],
    ['a list', `[${BODY}]`],
    ['an object without an id', BODY.replace('"id"', '"ID"')],
    ['an event without data', BODY.replace('"data"', '"date"')],
    ['an event with a list of data', '{"id":"evt_1","event":"a","createdAt":"","isSandbox":true,"data":[]}'],
    ['half of one', BODY.slice(0, 40)],
    ['a deep one', '['.repeat(500_000)],
  ])('is refused even with a valid signature: %s', async (_, body) => {
    expect(await signed(body)).toBe('event_malformed');
  });

  it('is refused if its bytes are not text', async () => {
    expect(await signed(Uint8Array.of(0xff, 0xfe, 0x00))).toBe('event_malformed');
  });

  it('is refused before it is hashed if no event is that large', async () => {
    expect(await refusal({ body: 'a'.repeat(1_048_577) })).toBe('body_too_large');
    expect(await refusal({ body: Buffer.alloc(300_000_000) })).toBe('body_too_large');
    expect(await signed('a'.repeat(1_048_576))).toBe('event_malformed');
  });

  it.each([
    ['parsed already', JSON.parse(BODY)],
    ['not there', undefined],
    ['null', null],
    ['a list of numbers', [1, 2]],
    ['an ArrayBuffer', new ArrayBuffer(4)],
  ])('is refused if it is %s', async (_, body) => {
    expect((await verdict(body, headersOf(), SECRET)).reason).toBe('body_not_raw');
  });
});

describe('a secret', () => {
  it('may have white space around it, and one of white space is missing', async () => {
    const { headers } = signTestWebhook(BODY, SECRET, { timestamp: NOW });
    const onlyStandard = without(headers, 'X-Service-Signature');
    for (const given of [headers, onlyStandard])
      expect(await verify({ headers: given, secret: ` ${SECRET}\r\n` })).toMatchObject({ sequence: 1 });
    expect(await refusal({ secret: ' \n' })).toBe('secret_missing');
  });
});

describe('a runtime without WebCrypto', () => {
  it('is named by the error', async () => {
    const { crypto } = globalThis;
    Object.defineProperty(globalThis, 'crypto', { value: undefined, configurable: true });
    try {
      await expect(verifyWebhook(BODY, headersOf(), SECRET, { mode: 'test', now: NOW })).rejects.toThrow(
        'There is no WebCrypto here',
      );
    } finally {
      Object.defineProperty(globalThis, 'crypto', { value: crypto, configurable: true });
    }
  });
});

describe('a missing secret', () => {
  it.each(['', undefined, null, 7, {}])('verifies nothing: %j', async (secret) => {
    const headers = headersOf({ signature: hmac('', String(SECONDS), BODY) });
    expect((await verdict(BODY, headers, secret)).reason).toBe('secret_missing');
  });
});

describe('a delivery signed for a test', () => {
  it("equals the service's: verified, with all fields of an envelope", async () => {
    const { body, headers } = signTestWebhook(
      { event: 'customer.deleted', data: { customerId: 'cust_01hm0000000000000000000001' } },
      SECRET,
      { timestamp: NOW },
    );
    expect(headers).toEqual({
      'Content-Type': 'application/json',
      'X-Service-Timestamp': String(SECONDS),
      'X-Service-Signature': hmac(SECRET, String(SECONDS), body),
      'X-Service-Signature-Mode': hmac(SECRET, String(SECONDS), body),
      'webhook-id': JSON.parse(body).id,
      'webhook-timestamp': String(SECONDS),
      'webhook-signature': standard(SECRET, JSON.parse(body).id, body),
    });
    expect(await verify({ body, headers })).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-hjkmnp-tv-z]{26}$/),
      event: 'customer.deleted',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      isSandbox: true,
      sequence: 1,
      data: { customerId: 'cust_01hm0000000000000000000001' },
    });
  });

  it('keeps given fields of the envelope', () => {
    const said = { id: 'evt_of-a-test', createdAt: NOW.toISOString(), isSandbox: false, sequence: 7 };
    const event = { ...said, event: 'customer.deleted', data: { customerId: 'cust_1' } } as const;
    expect(JSON.parse(signTestWebhook(event, SECRET).body)).toEqual(event);
  });

  it('is signed unchanged if it is text or bytes, whatever the content', () => {
    const bytes = Uint8Array.of(0xff, 0x00, 0x7b);
    const signed = signTestWebhook(bytes, SECRET, { timestamp: SECONDS });
    expect(signed.body).toBe(bytes);
    expect(signed.headers['X-Service-Signature']).toBe(hmac(SECRET, String(SECONDS), bytes));
    expect(signTestWebhook('{ }', SECRET).body).toBe('{ }');
  });

  it('is the same by WebCrypto', async () => {
    const options = { timestamp: NOW, previousSecret: OLD_SECRET };
    expect(await signLater(BODY, SECRET, options)).toEqual(signTestWebhook(BODY, SECRET, options));
  });

  it('is signed with the previous secret too if there is one', async () => {
    const { body, headers } = signTestWebhook(BODY, SECRET, { timestamp: SECONDS, previousSecret: OLD_SECRET });
    const onlyStandard = without(without(headers, 'X-Service-Signature'), 'X-Service-Timestamp');
    for (const secret of [SECRET, OLD_SECRET]) {
      expect(await verify({ body, headers, secret })).toMatchObject({ sequence: 1 });
      expect(await verify({ body, headers: onlyStandard, secret })).toMatchObject({ sequence: 1 });
    }
  });

  it('is verified by the library of Standard Webhooks, with either secret', () => {
    const { body, headers } = signTestWebhook(BODY, SECRET, { previousSecret: OLD_SECRET });
    for (const secret of [SECRET, OLD_SECRET])
      expect(new Webhook(secret).verify(body, { ...headers })).toEqual(JSON.parse(BODY));
  });

  it('has no headers of Standard Webhooks if the secret is not base64', () => {
    expect(Object.keys(signTestWebhook(BODY, 'whsec_of-a-test').headers)).toEqual([
      'Content-Type',
      'X-Service-Timestamp',
      'X-Service-Signature',
      'X-Service-Signature-Mode',
    ]);
  });
});

function without(headers: { readonly [name: string]: string }, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name));
}

function lowerCase(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function upperCase(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
}

function only(name: string, value: string): Record<string, string> {
  return { [name]: value, 'X-Service-Timestamp': String(SECONDS) };
}

/** An object that throws when its property is read. */
function throwing(): object {
  return Object.defineProperty({}, 'X-Service-Timestamp', {
    enumerable: true,
    get: () => {
      throw new RangeError('do not check');
    },
  });
}
