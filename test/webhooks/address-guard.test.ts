import { buildConnector } from 'undici';
import { AddressGuard, addressesIn, type Resolve, systemResolver } from '../../src/webhooks/address-guard.ts';
import { type Answer, HttpPoster } from '../../src/webhooks/http-poster.ts';
import { openReceiver, openTcp } from './receiver.ts';
import { FORBIDDEN_URLS, MALFORMED_URLS, PUBLIC_URLS } from './spellings.ts';
import { attempted, makeMerchant, openWorld, pass } from './world.ts';

/** Listens on loopback, and must never get a connection. */
/** The same for IPv6 on the same port; null if the machine has none. */

const canary = await openTcp((socket) => void socket.destroy());
const canary6 = await openTcp((socket) => void socket.destroy(), '::1', canary.port).catch(() => null);
const receiver = await openReceiver();

afterAll(async () => {
  await canary.close();
  await canary6?.close();
  await receiver.close();
});

function atCanary(url: string): string {
  return url.replaceAll('PORT', String(canary.port));
}

function connections(): number {
  return canary.connections() + (canary6?.connections() ?? 0);
}

interface Posting {
  readonly resolve?: Resolve;
  readonly allowLoopback?: boolean;
  readonly dial?: buildConnector.connector;
}

/** Posts to the URL without the URL checks, so that only the connection check is left. */
async function post(
  url: string,
  { resolve = systemResolver(), allowLoopback = false, dial }: Posting = {},
): Promise<Answer> {
  const guard = new AddressGuard({ resolve, allowLoopback });
  const poster = new HttpPoster({ connect: guard.connector(dial), timeoutMs: 5_000 });
  try {
    return await poster.post({ url: new URL(url), headers: {}, body: Buffer.from('{}') });
  } finally {
    await poster.close();
  }
}

/** Names → their addresses, one list for each lookup. */
function names(answers: { readonly [name: string]: readonly (readonly string[])[] }): Resolve {
  const asked = new Map<string, number>();
  return async (name) => {
    const n = asked.get(name) ?? 0;
    asked.set(name, n + 1);
    const list = answers[name] ?? [];
    return list[Math.min(n, list.length - 1)] ?? [];
  };
}

/** Connects to nothing, and records the requested addresses. */
function dialling(asked: string[]): buildConnector.connector {
  return ({ hostname }, callback) => {
    asked.push(hostname);
    callback(Object.assign(new Error('not in a test'), { code: 'ENETUNREACH' }), null);
  };
}

describe('the table of spellings', () => {
  it('has more than 80 different forbidden ones', () => {
    expect(new Set(FORBIDDEN_URLS).size).toBe(FORBIDDEN_URLS.length);
    expect(FORBIDDEN_URLS.length).toBeGreaterThan(80);
  });
});

describe.each(FORBIDDEN_URLS)('the forbidden URL %s', (spelling) => {
  it('is refused when saved and when connected', async () => {
    const url = atCanary(spelling);
    const guard = new AddressGuard({ resolve: systemResolver(), allowLoopback: false });
    await expect(guard.admit(url, 'test')).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(/^url must point to public addresses only; /),
    });
    expect(await post(url)).toMatchObject({ status: null, error: expect.stringMatching(/^Address not allowed: /) });
    expect(connections()).toBe(0);
  });
});

describe('a malformed delivery URL', () => {
  it.each(MALFORMED_URLS)('is refused by its form: %j', async (spelling) => {
    const guard = new AddressGuard({
      resolve: () => Promise.reject(new Error('nothing may be resolved for it')),
      allowLoopback: true,
    });
    await expect(guard.admit(atCanary(spelling), 'test')).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(/^url must /),
    });
  });
});

describe('a public literal', () => {
  it.each(PUBLIC_URLS)('is allowed: %s', async (url) => {
    const asked: string[] = [];
    const guard = new AddressGuard({ resolve: names({}), allowLoopback: false });
    await expect(guard.admit(url, 'test')).resolves.toBeInstanceOf(URL);
    await post(url, { resolve: names({}), dial: dialling(asked) });
    expect(asked).toEqual([new URL(url).hostname.replace(/^\[|\]$/g, '')]);
  });
});

describe('schemes', () => {
  const guard = new AddressGuard({ resolve: names({}), allowLoopback: false });

  it('are http and https in the sandbox, https only in live mode', async () => {
    await expect(guard.admit('http://example.com/', 'test')).resolves.toBeDefined();
    await expect(guard.admit('https://example.com/', 'test')).resolves.toBeDefined();
    await expect(guard.admit('https://example.com/', 'live')).resolves.toBeDefined();
    await expect(guard.admit('http://example.com/', 'live')).rejects.toMatchObject({
      code: 'invalid',
      message: 'url must be an https URL in live mode; http is for the sandbox',
    });
  });
});

describe('a name', () => {
  const save = (resolve: Resolve) =>
    new AddressGuard({ resolve, allowLoopback: false }).admit('https://hooks.example/', 'live');

  it('that does not resolve is saved', async () => {
    await expect(save(async () => [])).resolves.toBeDefined();
    await expect(save(() => Promise.reject(new Error('SERVFAIL')))).resolves.toBeDefined();
  });

  it.each([
    ['a public and a private IPv4 address', ['93.184.216.34', '10.0.0.1']],
    ['a public IPv4 and a loopback IPv6 address', ['93.184.216.34', '::1']],
    ['a private IPv4 and a public IPv6 address', ['192.168.1.1', '2606:4700:4700::1111']],
    ['a mapped address', ['::ffff:93.184.216.34']],
    ['an address in an interface’s zone', ['fe80::1%eth0']],
    ['what is no address', ['hooks.internal']],
    ['nothing between commas', ['']],
  ])('that resolves to %s is refused when saved and when connected', async (_, addresses) => {
    const asked: string[] = [];
    const resolve = names({ 'hooks.example': [addresses] });
    await expect(save(resolve)).rejects.toMatchObject({ code: 'invalid' });
    expect(await post('http://hooks.example/', { resolve, dial: dialling(asked) })).toMatchObject({
      error: expect.stringMatching(/^Address not allowed: /),
    });
    expect(asked).toEqual([]);
  });

  it('with several public addresses is tried one after another until one answers', async () => {
    const asked: string[] = [];
    const addresses = ['93.184.216.34', '93.184.216.35', '2606:4700:4700::1111'];
    await post('http://hooks.example/', { resolve: names({ 'hooks.example': [addresses] }), dial: dialling(asked) });
    expect(asked).toEqual(addresses);
  });
});

describe('a name whose address changes', () => {
  it('from public at the save to loopback at the post gets no connection', async () => {
    const resolve = names({ 'rebind.example': [['93.184.216.34'], ['127.0.0.1']] });
    const guard = new AddressGuard({ resolve, allowLoopback: false });
    const url = atCanary('http://rebind.example:PORT/');
    await expect(guard.admit(url, 'test')).resolves.toBeDefined();
    expect(await post(url, { resolve })).toMatchObject({ error: 'Address not allowed: loopback' });
    expect(connections()).toBe(0);
  });

  it.each([
    ['A and AAAA: a public and a loopback one', [['93.184.216.34', '::1']]],
    ['AAAA and A: a public and a loopback one', [['127.0.0.1', '2606:4700:4700::1111']]],
    ['a public one at first, then both of loopback', [['93.184.216.34'], ['127.0.0.1', '::1']]],
    ['a public one at first, then a public beside a loopback one', [['93.184.216.34'], ['93.184.216.34', '::1']]],
    ['a public one at first, then loopback mapped into IPv6', [['93.184.216.34'], ['::ffff:127.0.0.1']]],
  ])('to %s gets no connection from any attempt of a delivery', async (_, answers) => {
    const asked: string[] = [];
    const resolve = names({ 'rebind.example': answers });
    const world = openWorld({ resolve, reachesLoopback: false });
    if (answers.length > 1) await resolve('rebind.example');
    const url = atCanary('http://rebind.example:PORT/');
    const merchant = await makeMerchant(world.store, { testUrl: url });
    await attempted(world, merchant._id);
    for (const minutes of [1, 5, 30, 120, 360]) await pass(world, minutes * 60_000);
    const [delivery] = await world.store.records.find('events', { where: {}, limit: 9 });
    expect(delivery?.status).toBe('failed');
    expect(delivery?.attempts.map(({ error }) => error)).toEqual(
      Array.from({ length: 6 }, () => expect.stringMatching(/^Address not allowed: /)),
    );
    await post(url, { resolve, dial: dialling(asked) });
    expect([connections(), asked]).toEqual([0, []]);
    await world.webhooks.sender.stop(0);
  });

  it('is resolved once per connection: the checked address is the one that is dialled', async () => {
    const asked: string[] = [];
    let reads = 0;
    const resolve: Resolve = async () => (++reads === 1 ? ['93.184.216.34'] : ['127.0.0.1']);
    await post(atCanary('http://rebind.example:PORT/'), { resolve, dial: dialling(asked) });
    expect(asked).toEqual(['93.184.216.34']);
    expect(reads).toBe(1);
  });

  it('is checked again at the next connection', async () => {
    const asked: string[] = [];
    const resolve = names({ 'rebind.example': [['93.184.216.34'], ['127.0.0.1']] });
    const guard = new AddressGuard({ resolve, allowLoopback: false });
    const poster = new HttpPoster({ connect: guard.connector(dialling(asked)) });
    const request = { url: new URL(atCanary('http://rebind.example:PORT/')), headers: {}, body: Buffer.from('{}') };
    expect(await poster.post(request)).toMatchObject({ error: 'Host unreachable' });
    expect(await poster.post(request)).toMatchObject({ error: 'Address not allowed: loopback' });
    await poster.close();
    expect(asked).toEqual(['93.184.216.34']);
  });

  it('and a connection to another address than requested is noticed before a byte is sent', async () => {
    const tcp = buildConnector({});
    const astray: buildConnector.connector = (options, callback) =>
      tcp({ ...options, hostname: '127.0.0.1' }, callback);
    const resolve = names({ 'public.example': [['93.184.216.34']] });
    const answer = await post(`http://public.example:${receiver.port}/`, { resolve, dial: astray });
    expect(answer).toMatchObject({ status: null, error: 'Address not allowed: loopback' });
    expect(receiver.received).toEqual([]);
  });
});

describe('with loopback allowed', () => {
  const allowed = { allowLoopback: true };

  it('127.0.0.1 and names for it are allowed', async () => {
    for (const host of ['127.0.0.1', 'localhost', '2130706433']) {
      expect(await post(`http://${host}:${receiver.port}/`, allowed)).toMatchObject({ status: 200 });
    }
    const guard = new AddressGuard({ resolve: systemResolver(), allowLoopback: true });
    await expect(guard.admit('http://localhost:4000/hook', 'test')).resolves.toBeDefined();
    await expect(guard.admit('http://[::1]:4000/hook', 'test')).resolves.toBeDefined();
  });

  it.each(['127.0.0.2', '127.1.1.1', '0.0.0.0', '[::]', '[::ffff:127.0.0.1]', '10.0.0.1', '169.254.169.254'])(
    '%s stays forbidden',
    async (host) => {
      const url = atCanary(`http://${host}:PORT/`);
      const guard = new AddressGuard({ resolve: systemResolver(), allowLoopback: true });
      await expect(guard.admit(url, 'test')).rejects.toMatchObject({ code: 'invalid' });
      expect(await post(url, allowed)).toMatchObject({ error: expect.stringMatching(/^Address not allowed: /) });
      expect(connections()).toBe(0);
    },
  );
});

describe('a hosts file', () => {
  const hosts = '127.0.0.1 localhost\n# 10.0.0.9 commented.example\n10.0.0.1\tDb.Internal db  # ours\n\n::1 db\n';

  it('is read like by the system', () => {
    expect(addressesIn(hosts, 'db.internal')).toEqual(['10.0.0.1']);
    expect(addressesIn(hosts, 'db')).toEqual(['10.0.0.1', '::1']);
    expect(addressesIn(hosts, 'commented.example')).toEqual([]);
    expect(addressesIn(hosts, '10.0.0.1')).toEqual([]);
  });

  it.each(['localhost', 'LocalHost.', 'a.localhost'])('may be missing: %s is loopback', async (name) => {
    expect(await systemResolver({ hostsFile: '/nonexistent/hosts' })(name)).toEqual(['127.0.0.1', '::1']);
    expect(await systemResolver()(name)).toEqual(['127.0.0.1', '::1']);
  });
});
