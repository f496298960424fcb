import { spyOn } from 'jest-mock';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook } from 'tideline/client';
import { redeliverEvent } from '../../src/billing/events/events.ts';
import { type Received, type Receiver, signatureOf } from './receiver.ts';
import { attempted, makeMerchant, pass, quiet, useWorlds, type World } from './world.ts';

const MINUTE = 60_000;
const HOUR_S = 3_600;

let receiver: Receiver;
let world: World;
let merchantId: string;
/** The secret before the rotations of a test. */
let first: string;

const { open } = useWorlds((opened) => {
  receiver = opened;
});

beforeEach(async () => {
  world = open();
  merchantId = (await makeMerchant(world.store, { testUrl: receiver.url }))._id;
  first = await rotate(0);
});

async function rotate(overlapSeconds: number): Promise<string> {
  return (await world.webhooks.endpoints.rotateSecret({ merchantId }, { overlapSeconds })).secret;
}

/** The post of an event. */
async function posted(): Promise<Received> {
  const before = receiver.received.length;
  await attempted(world, merchantId);
  expect(receiver.received).toHaveLength(before + 1);
  return receiver.last();
}

/**
 * True if a receiver with this secret accepts it, by the client's helper and by the published library of Standard
 * Webhooks. Throws if the two differ.
 */
function isBelieved({ rawBody, headers, envelope }: Received, secret: string): boolean {
  const now = world.clock.now();
  const clock = spyOn(Date, 'now').mockReturnValue(now.getTime());
  const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  const isAccepted = isDone(() => verifyWebhook(rawBody, headers, secret, { mode: 'test', now }));
  expect(isDone(() => expect(new Webhook(secret).verify(rawBody.toString(), given)).toEqual(envelope))).toBe(
    isAccepted,
  );
  clock.mockRestore();
  return isAccepted;
}

function isDone(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

/** Checks the signatures of the current and the previous secret, and that there is no other. */
function expectSigned(post: Received, current: string, previous: string | null): void {
  const { headers } = post;
  expect(headers['x-service-timestamp']).toBe(String(Math.floor(world.clock.now().getTime() / 1_000)));
  expect(headers['x-service-signature']).toBe(signatureOf(current, post));
  const beside = previous === null ? undefined : signatureOf(previous, post);
  expect(headers['x-service-signature-previous']).toBe(beside);
  expect(headers['webhook-id']).toBe(post.envelope.id);
  expect([current, previous ?? current].map((secret) => isBelieved(post, secret))).toEqual([true, true]);
}

describe('a rotation at once', () => {
  it('ends the old secret with the next delivery', async () => {
    expectSigned(await posted(), first, null);
    const second = await rotate(0);
    const post = await posted();
    expectSigned(post, second, null);
    expect(isBelieved(post, first)).toBe(false);
  });

  it('ends a running overlap too', async () => {
    await rotate(HOUR_S);
    const third = await rotate(0);
    expectSigned(await posted(), third, null);
  });
});

describe('a rotation with overlap', () => {
  it('signs with both, to the millisecond of its end: a receiver may change over in between', async () => {
    const second = await rotate(HOUR_S);
    for (const ms of [0, 30 * MINUTE, 30 * MINUTE - 1]) {
      world.clock.advance(ms);
      const post = await posted();
      expectSigned(post, second, first);
    }
    world.clock.advance(1);
    const post = await posted();
    expectSigned(post, second, null);
    expect(isBelieved(post, first)).toBe(false);
  });

  it('signs with the last two of several, never with an earlier one', async () => {
    const second = await rotate(HOUR_S);
    const third = await rotate(HOUR_S);
    const post = await posted();
    expectSigned(post, third, second);
    expect(isBelieved(post, first)).toBe(false);
  });

  it('signs each attempt again: before it, in it and after it the bytes are the same, but not the signatures', async () => {
    receiver.reply = (response) => void response.writeHead(500).end();
    expectSigned(await posted(), first, null);
    const second = await rotate(3 * 60);
    await pass(world, MINUTE);
    expectSigned(receiver.last(), second, first);
    await pass(world, 5 * MINUTE);
    expectSigned(receiver.last(), second, null);
    expect(new Set(receiver.received.map(({ rawBody }) => rawBody.toString())).size).toBe(1);
    expect(new Set(receiver.received.map(({ headers }) => headers['x-service-signature'])).size).toBe(3);
  });
});

describe('a redelivery', () => {
  it('is signed with the secrets of its own time', async () => {
    const post = await posted();
    const second = await rotate(HOUR_S);
    world.clock.advance(MINUTE);
    await redeliverEvent(world.deps, { merchantId, mode: 'test' }, post.envelope.id);
    await quiet(world);
    expectSigned(receiver.last(), second, first);
    expect(receiver.last().rawBody.equals(post.rawBody)).toBe(true);
  });
});
