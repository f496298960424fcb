import { verifyWebhook } from 'tideline/client';
import type { EncryptionKeys } from '../../src/webhooks/secret-box.ts';
import { TestClock } from '../engine/support/world.ts';
import { runOps } from '../scripts/support/run-script.ts';
import { startTestDevnet } from '../support/devnet.ts';
import type { Received, Receiver } from './receiver.ts';
import { attempted, makeMerchant, pass, useWorlds, type World } from './world.ts';

const [old, present] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

/** Longer than the lease of an attempt. */
const LATER_MS = 60_000;

let receiver: Receiver;
const { open } = useWorlds((opened) => {
  receiver = opened;
});

const devnet = await startTestDevnet();
const client = await devnet.openClient();
const store = await devnet.openStore('secrets');

/** A process with these keys, on the one database. */
function withKeys(keys: EncryptionKeys | null, clock = new TestClock()): World {
  return open({ store, clock, encryption: keys });
}

/** `ops migrate` with this key, and with retired ones in hex. */
function migrate(retired = '') {
  const keys = { ENCRYPTION_KEY: present.toString('hex'), ...(retired ? { ENCRYPTION_KEYS_RETIRED: retired } : {}) };
  return runOps('migrate', [], { MONGODB_URI: devnet.mongoUri, MONGODB_DB: 'secrets', ...keys });
}

/** Everything that the database keeps of a merchant. */
async function storedText(merchantId: string): Promise<string> {
  const merchants = client.db('secrets').collection<{ readonly _id: string }>('merchants');
  return JSON.stringify(await merchants.findOne({ _id: merchantId }));
}

async function delivered(world: World, merchantId: string): Promise<Received> {
  await attempted(world, merchantId);
  return receiver.last();
}

function believes(secret: string, world: World, { rawBody, headers }: Received): void {
  verifyWebhook(rawBody, headers, secret, { mode: 'test', now: world.clock.now() });
}

describe('the signing secret of a merchant, in the database', () => {
  it('is encrypted, signs what is delivered, and survives a change of the key', async () => {
    const { _id: merchantId } = await makeMerchant(store, { testUrl: receiver.url, secret: 'whsec_cGxhaW4=' });
    // `migrate` has the time of day, and the overlap must not be over for it.
    const clock = new TestClock(new Date());
    const first = withKeys({ present: old, retired: [] }, clock);
    const { secret } = await first.webhooks.endpoints.rotateSecret({ merchantId }, { overlapSeconds: 3_600 });
    const own = await first.webhooks.endpoints.rotateModeSecret({ merchantId, mode: 'test' });
    for (const each of [secret, own.secret]) expect(await storedText(merchantId)).not.toContain(each);
    believes(secret, first, await delivered(first, merchantId));

    expect(await migrate(old.toString('hex'))).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('secrets of 1 merchants are encrypted'),
    });
    // The one from before the keys too: it still signs.
    expect(await storedText(merchantId)).not.toMatch(/whsec_/);
    expect((await migrate(old.toString('hex'))).stdout).not.toContain('encrypted');

    const second = withKeys({ present, retired: [] }, clock);
    const two = await delivered(second, merchantId);
    for (const each of [secret, own.secret]) believes(each, second, two);
    believes('whsec_cGxhaW4=', second, {
      ...two,
      headers: { ...two.headers, 'x-service-signature': two.headers['x-service-signature-previous'] },
    });
  });

  it('that no key here opens holds its deliveries back, and they come when the key is there', async () => {
    const { _id: merchantId } = await makeMerchant(store, { testUrl: receiver.url });
    const first = withKeys({ present: old, retired: [] });
    const { secret } = await first.webhooks.endpoints.rotateSecret({ merchantId });
    const without = withKeys({ present, retired: [] });
    await attempted(without, merchantId);
    expect(receiver.received).toEqual([]);
    expect(without.troubles).toContain('a delivery attempt failed here; it is made again when the lease expires');
    await without.webhooks.sender.stop(1_000);
    // The others are encrypted all the same, and this one is named.
    const { _id: other } = await makeMerchant(store, { testUrl: receiver.url, secret: 'whsec_cGxhaW4=' });
    expect(await migrate()).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining(`Warning: A webhook secret of ${merchantId} is`),
    });
    expect(await storedText(other)).toContain('"secret":"sealed:');

    const both = withKeys({ present, retired: [old] }, without.clock);
    await pass(both, LATER_MS);
    believes(secret, both, receiver.last());
  });

  it('that is lost signs no more after a rotation, whatever its overlap, and migrate forgets it after that', async () => {
    const { _id: merchantId } = await makeMerchant(store, { testUrl: receiver.url });
    await withKeys({ present: old, retired: [] }).webhooks.endpoints.rotateSecret({ merchantId });
    const without = withKeys({ present, retired: [] });
    const { secret } = await without.webhooks.endpoints.rotateSecret({ merchantId }, { overlapSeconds: 3_600 });
    const post = await delivered(without, merchantId);
    believes(secret, without, post);
    expect(post.headers).not.toHaveProperty('x-service-signature-previous');
    expect(without.troubles).toContain('the previous webhook secret cannot be opened; the new one signs alone');

    // The clock of this world begins in the past, so the overlap is over for a script.
    expect(await migrate()).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining(merchantId) });
    expect(await storedText(merchantId)).toContain('"previousSecret":null');
  });
});
