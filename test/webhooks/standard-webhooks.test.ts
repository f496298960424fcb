import { spyOn } from 'jest-mock';
import { Webhook } from 'standardwebhooks';
import { signTestWebhook, verifyWebhook, WebhookVerificationError } from 'tideline/client';
import { openReceiver, type Received, type Receiver } from './receiver.ts';
import { emit, makeMerchant, openWorld, pass, quiet, type World } from './world.ts';

const MINUTE = 60_000;

let receiver: Receiver;
let world: World;
let merchantId: string;

beforeEach(async () => {
  receiver = await openReceiver();
  world = openWorld();
  merchantId = (await makeMerchant(world.store, { testUrl: receiver.url }))._id;
});

afterEach(async () => {
  await world.webhooks.sender.stop(1_000);
  await receiver.close();
});

async function rotate(overlapSeconds = 0): Promise<string> {
  return (await world.webhooks.endpoints.rotateSecret({ merchantId }, { overlapSeconds })).secret;
}

async function posted(): Promise<Received> {
  const before = receiver.received.length;
  await emit(world, merchantId);
  await quiet(world);
  const post = receiver.received[before];
  if (!post) throw new Error('nothing came');
  return post;
}

/**
 * The event, as the published library of the specification verifies it at the time of the service. Throws otherwise.
 */
function verified({ rawBody, headers }: Pick<Received, 'rawBody' | 'headers'>, secret: string, now: Date): unknown {
  const clock = spyOn(Date, 'now').mockReturnValue(now.getTime());
  try {
    const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    return new Webhook(secret).verify(rawBody.toString(), given);
  } finally {
    clock.mockRestore();
  }
}

/** The headers without those of the service itself. */
function standardOnly(headers: Received['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (name.startsWith('webhook-') ? [[name, String(value)]] : [])),
  );
}

describe('a delivery, for verifiers of Standard Webhooks', () => {
  it('is verified by the library of the specification, with the secret as it is shown', async () => {
    const secret = await rotate();
    const post = await posted();
    expect(verified(post, secret, world.clock.now())).toEqual(post.envelope);
    expect(post.headers['webhook-id']).toBe(post.envelope.id);
    const another = await rotate();
    expect(() => verified(post, another, world.clock.now())).toThrow('No matching signature found');
  });

  it('is signed with both secrets during the overlap of a rotation', async () => {
    const first = await rotate();
    const second = await rotate(3_600);
    const post = await posted();
    for (const secret of [first, second]) expect(verified(post, secret, world.clock.now())).toEqual(post.envelope);
  });

  it('keeps its id in a later attempt, which is signed anew', async () => {
    const secret = await rotate();
    receiver.reply = (response) => void response.writeHead(500).end();
    const first = await posted();
    receiver.reply = (response) => void response.end();
    await pass(world, MINUTE);
    const second = receiver.received.at(-1);
    if (!second || second === first) throw new Error('there was no second attempt');
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
    expect(second.headers['webhook-signature']).not.toBe(first.headers['webhook-signature']);
    expect(verified(second, secret, world.clock.now())).toEqual(first.envelope);
  });
});

describe('verifyWebhook with the headers of Standard Webhooks alone', () => {
  it('accepts a delivery, and nothing that was changed', async () => {
    const secret = await rotate();
    const { rawBody, headers, envelope } = await posted();
    const now = world.clock.now();
    const standard = standardOnly(headers);
    expect(verifyWebhook(rawBody, standard, secret, { now })).toEqual(envelope);
    const reasonOf = (changed: Record<string, string>, body: Uint8Array = rawBody) => {
      try {
        verifyWebhook(body, { ...standard, ...changed }, secret, { now });
      } catch (error) {
        if (error instanceof WebhookVerificationError) return error.reason;
        throw error;
      }
      return null;
    };
    expect(reasonOf({ 'webhook-id': 'evt_other' })).toBe('signature_mismatch');
    expect(reasonOf({ 'webhook-timestamp': '1' })).toBe('signature_mismatch');
    expect(reasonOf({}, Buffer.from(`${rawBody} `))).toBe('signature_mismatch');
    expect(reasonOf({ 'webhook-signature': `v1,${'A'.repeat(43)}=` })).toBe('signature_mismatch');
    expect(reasonOf({ 'webhook-signature': 'v1,AAAA' })).toBe('signature_mismatch');
    expect(reasonOf({ 'webhook-signature': standard['webhook-signature']?.replace('v1,', 'v1a,') ?? '' })).toBe(
      'header_malformed',
    );
    expect(reasonOf({ 'webhook-signature': `v1a,AAAA ${standard['webhook-signature']}` })).toBeNull();
  });

  it.each(['webhook-id', 'webhook-timestamp'])('names a missing header: %s', async (name) => {
    const secret = await rotate();
    const { rawBody, headers } = await posted();
    const { [name]: _, ...rest } = standardOnly(headers);
    expect(() => verifyWebhook(rawBody, rest, secret)).toThrow(`${name} is missing`);
  });
});

describe('a delivery of signTestWebhook', () => {
  it('is verified by the library of the specification, with either secret', async () => {
    const [secret, previousSecret] = [await rotate(), await rotate()];
    const now = new Date();
    const { body, headers } = signTestWebhook({ event: 'customer.deleted', data: { customerId: 'cust_1' } }, secret, {
      timestamp: now,
      previousSecret,
    });
    const rawBody = Buffer.from(body);
    for (const each of [secret, previousSecret])
      expect(verified({ rawBody, headers }, each, now)).toEqual(JSON.parse(body));
    expect(verifyWebhook(body, standardOnly(headers), secret).event).toBe('customer.deleted');
  });
});
