import { verifyWebhook } from 'tideline/client';
import type { Mode } from '../../src/store/documents.ts';
import type { PostRequest } from '../../src/webhooks/http-poster.ts';
import { attempted, makeMerchant, setWebhook, useWorlds, type World } from './world.ts';

const SHARED = 'whsec_dGVzdA==';
const FORGED = 'No signature was made with this secret';

const { open } = useWorlds(() => {});

let world: World;
let merchantId: string;
/** All requests to the live URL, which gets the events of both modes. */
let posts: PostRequest[];
let secrets: Readonly<Record<Mode, string>>;

beforeEach(async () => {
  posts = [];
  const post = async (request: PostRequest) => {
    posts.push(request);
    return { status: 204, error: null, body: '' };
  };
  world = open({
    poster: { post, close: async () => {} },
    resolve: async () => ['93.184.216.34'],
    encryption: { present: Buffer.alloc(32, 1), retired: [] },
  });
  merchantId = (await makeMerchant(world.store, { liveUrl: 'https://shop.example.com/hooks', secret: SHARED }))._id;
  secrets = { test: await rotate('test'), live: await rotate('live') };
});

async function rotate(mode: Mode, overlapSeconds = 0): Promise<string> {
  return (await world.webhooks.endpoints.rotateModeSecret({ merchantId, mode }, { overlapSeconds })).secret;
}

async function posted(mode: Mode): Promise<PostRequest> {
  await attempted(world, merchantId, { mode });
  const request = posts.pop();
  if (request === undefined) throw new Error('nothing was posted');
  return request;
}

/** What a shop of `mode` finds that verifies with `secret`. */
function verdict({ body, headers }: PostRequest, secret: string, mode: Mode): string {
  try {
    return verifyWebhook(body, headers, secret, { mode, now: world.clock.now() }).isSandbox ? 'test' : 'live';
  } catch (error) {
    return String(error);
  }
}

describe('the secret of a mode', () => {
  it.each(['test', 'live'] as const)('signs events of %s mode, and none of the other', async (mode) => {
    expect(verdict(await posted(mode), secrets[mode], mode)).toBe(mode);
    const other = mode === 'test' ? 'live' : 'test';
    expect(verdict(await posted(other), secrets[mode], other)).toMatch(FORGED);
  });

  it('lets nothing that is paid in the sandbox count as live, though its event comes to the live URL', async () => {
    const post = await posted('test');
    expect(verdict(post, secrets.live, 'live')).toMatch(FORGED);
    expect(verdict(post, SHARED, 'live')).toMatch('The event is of test mode');
  });

  it('signs beside a new one for the overlap of a rotation', async () => {
    const second = await rotate('live', 60);
    const post = await posted('live');
    for (const secret of [SHARED, secrets.live, second]) expect(verdict(post, secret, 'live')).toBe('live');
    expect(post.headers['webhook-signature']?.split(' ')).toHaveLength(3);
  });

  it('is encrypted for its mode: a copy of it in the database signs nothing of the other mode', async () => {
    const [merchant] = await world.store.records.get('merchants', [merchantId]);
    const test = merchant?.webhook.modeSecrets?.test;
    if (test === undefined) throw new Error('no secret is stored');
    await setWebhook(world.store, merchantId, { modeSecrets: { test, live: test } });
    await expect(posted('live')).rejects.toThrow('nothing was posted');
  });
});
