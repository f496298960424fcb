import { z } from 'zod';
import { journalOf, staff } from '../staff/support/staff.ts';
import { openAuthenticator } from '../support/authenticator.ts';
import { BOB, CAROL } from '../support/bodies.ts';
import { cookieOf, expectError, PUBLIC_URL, useHttp } from '../support/http.ts';
import { invite, OWN, openLink, type Person, signedIn } from './support.ts';

const WEEK_MS = 7 * 86_400_000;
const SESSION_MS = 12 * 3_600_000;
const PROOF_MS = 10 * 60_000;

const http = useHttp();

describe('an invitation', () => {
  it('opens a session once, in a cookie that scripts and other sites cannot use; only its hash is stored', async () => {
    const shop = await http.merchant();
    const { id, token } = await invite(http, shop, 'member', 'Ada');
    const reply = await openLink(http, token);
    const session = {
      member: { id, name: 'Ada', role: 'member' },
      merchant: { id: shop.merchant._id, name: shop.merchant.name, status: 'active' },
      passkeys: [],
      expiresAt: new Date(http.now.getTime() + SESSION_MS).toISOString(),
      provenUntil: new Date(http.now.getTime() + PROOF_MS).toISOString(),
    };
    expect([reply.status, reply.body]).toEqual([201, { session }]);
    expect(reply.headers.get('set-cookie')).toMatch(
      /^tideline_dashboard=[\w-]{43}; Path=\/dashboard; Max-Age=43200; HttpOnly; SameSite=Strict; Secure$/,
    );
    const stored = await http.store.records.find('memberSessions', { where: { memberId: id }, limit: 10 });
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored)).not.toContain(cookieOf(reply).split('=')[1]);

    const again = await openLink(http, token);
    expectError(again, 400, expect.stringMatching(/was used before/));
    expect(again.headers.get('set-cookie')).toBeNull();
  });

  it('is refused with a wrong token, and after a week', async () => {
    const shop = await http.merchant();
    const { id, token } = await invite(http, shop, 'member');
    for (const wrong of [`${id}.wrong`, 'nothing', token.toUpperCase()])
      expect((await openLink(http, wrong)).status).toBe(400);
    http.later(WEEK_MS);
    expect((await openLink(http, token)).status).toBe(400);
  });

  it('is of no use once another link was made, or the person was removed', async () => {
    const shop = await http.merchant();
    const admin = await signedIn(http, shop, 'admin');
    const lost = await invite(http, shop, 'viewer');
    const { status, body } = await admin.call('POST', `/members/${lost.id}/invitation`);
    const { url } = z.object({ url: z.string() }).parse(body);
    expect([status, url]).toEqual([201, expect.stringMatching(/^https:\/\/pay\.example\.com\/dashboard#invitation=/)]);
    expect((await openLink(http, lost.token)).status).toBe(400);
    expect((await admin.call('DELETE', `/members/${lost.id}`)).status).toBe(200);
    expect((await openLink(http, url.split('=')[1] ?? '')).status).toBe(400);
  });
});

describe('a session', () => {
  it('is asked for without an error, and ends on request, after twelve hours, and with its member', async () => {
    const shop = await http.merchant();
    const admin = await signedIn(http, shop, 'admin');
    const [ended, removed] = [await signedIn(http, shop, 'viewer'), await signedIn(http, shop, 'viewer')];
    const sessionOf = async ({ call }: typeof ended) => (await call('GET', '/session')).body;
    const open = { session: expect.objectContaining({ member: expect.anything() }), hasPasskeys: true };
    expect(await sessionOf(ended)).toEqual(open);
    await ended.call('DELETE', '/session');
    await admin.call('DELETE', `/members/${removed.id}`);
    for (const each of [ended, removed]) {
      expect(await sessionOf(each)).toEqual({ ...open, session: null });
      expect((await each.call('GET', '/keys')).status).toBe(401);
    }
    http.later(SESSION_MS - 1);
    expect((await admin.call('GET', '/keys')).status).toBe(200);
    http.later(1);
    expect((await admin.call('GET', '/keys')).status).toBe(401);
  });

  it('changes nothing without the header of the page', async () => {
    const shop = await http.merchant();
    const { cookie } = await signedIn(http, shop, 'admin');
    const change = { body: { mode: 'test' } };
    for (const headers of [{ cookie }, { ...OWN, cookie, 'Sec-Fetch-Site': 'cross-site' }]) {
      const reply = await http.send('POST', '/dashboard/api/keys', { ...change, headers });
      expectError(
        reply,
        403,
        'With a session, a change needs the header X-Dashboard-Request: 1 and must come from this site',
      );
    }
    const reply = await http.send('POST', '/dashboard/api/keys', { ...change, headers: { ...OWN, cookie } });
    expect(reply.status).toBe(201);
  });

  it('of a suspended merchant shows only itself', async () => {
    const shop = await http.merchant();
    const admin = await signedIn(http, shop, 'admin');
    await staff(http, 'POST', `/merchants/${shop.merchant._id}/suspend`, { reason: 'a test' });
    for (const path of ['/keys', '/test/offers', '/live/payments']) {
      expectError(await admin.call('GET', path), 403, expect.stringMatching(/is suspended/));
    }
    expect((await admin.call('GET', '/session')).body).toMatchObject({
      session: { merchant: { status: 'suspended' } },
    });
  });

  it('sees nothing of another merchant', async () => {
    const [shop, other] = [await http.merchant(), await http.merchant()];
    const [admin, stranger] = [await signedIn(http, shop, 'admin'), await signedIn(http, other, 'admin')];
    for (const call of [['PATCH', { role: 'viewer' }] as const, ['DELETE', undefined] as const])
      expect((await admin.call(call[0], `/members/${stranger.id}`, call[1])).status).toBe(404);
    const { body } = await admin.call('GET', '/members');
    expect(JSON.stringify(body)).not.toContain(stranger.id);
  });
});

describe('the people of a merchant', () => {
  it('always have an admin', async () => {
    const shop = await http.merchant();
    const admin = await signedIn(http, shop, 'admin');
    const path = `/members/${admin.id}`;
    const refusals = [await admin.call('PATCH', path, { role: 'member' }), await admin.call('DELETE', path)];
    expect(refusals.map(({ status }) => status)).toEqual([409, 409]);
    const second = await signedIn(http, shop, 'viewer');
    expect((await admin.call('PATCH', `/members/${second.id}`, { role: 'admin' })).status).toBe(200);
    expect((await admin.call('DELETE', path)).status).toBe(200);
    expect((await second.call('DELETE', `/members/${second.id}`)).status).toBe(409);
  });

  it('are in the journal of the merchant with what they change', async () => {
    const shop = await http.merchant();
    const ada = await signedIn(http, shop, 'admin', 'Ada');
    const steps = [
      () => ada.call('POST', '/members', { name: 'Bob', role: 'viewer' }),
      () => ada.call('POST', '/keys', { mode: 'test' }),
      () =>
        ada.call('POST', '/wallets', {
          mode: 'test',
          tokenKey: 'usdc-base',
          receiverWallet: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
        }),
    ];
    for (const step of steps) {
      http.later(1_000);
      expect((await step()).status).toBe(201);
    }
    expect(await journalOf(http, shop.merchant._id)).toMatchObject([
      { by: 'member:Ada', action: 'wallet.set' },
      { by: 'member:Ada', action: 'key.issued' },
      { by: 'member:Ada', action: 'member.invited', details: { name: 'Bob', role: 'viewer' } },
      { by: 'staff', action: 'member.invited', details: { name: 'Ada' } },
    ]);
  });
});

describe('a stolen cookie', () => {
  const SITE = { host: new URL(PUBLIC_URL).host, origin: PUBLIC_URL };

  async function challengeOf(person: Person, path: string): Promise<string> {
    const { status, body } = await person.call('POST', path);
    expect(status).toBe(201);
    return z.object({ options: z.object({ challenge: z.string() }) }).parse(body).options.challenge;
  }

  async function addPasskey(person: Person) {
    const passkey = openAuthenticator(SITE);
    const made = passkey.make(await challengeOf(person, '/passkeys/challenges'));
    expect((await person.call('POST', '/passkeys', made)).status).toBe(201);
    return passkey;
  }

  it('makes no way to sign in once the proof of the person is ten minutes old', async () => {
    const shop = await http.merchant();
    const ada = await signedIn(http, shop, 'admin', 'Ada');
    const attempts = [
      ['POST', '/passkeys/challenges', {}],
      ['POST', '/passkeys', {}],
      ['DELETE', '/passkeys/x', undefined],
      ['POST', '/members', { name: 'Mallory', role: 'admin' }],
      ['PATCH', `/members/${ada.id}`, { role: 'admin' }],
      ['POST', `/members/${ada.id}/invitation`, {}],
      ['POST', '/keys', { mode: 'live' }],
    ] as const;
    const tryAll = async () => {
      for (const [method, path, body] of attempts) {
        const { status, body: answer } = await ada.call(method, path, body);
        expect([path, status, answer]).toEqual([
          path,
          403,
          { error: expect.stringMatching(/^This needs a sign-in of the last ten minutes; /) },
        ]);
      }
    };
    const passkey = await addPasskey(ada);
    const journaled = await journalOf(http, shop.merchant._id);
    http.later(PROOF_MS);
    await tryAll();
    expect(await journalOf(http, shop.merchant._id)).toEqual(journaled);

    const answer = passkey.answer(await challengeOf(ada, '/session/challenges'), ada.id);
    const proven = await ada.call('POST', '/session/proof', answer);
    const provenUntil = new Date(http.now.getTime() + PROOF_MS).toISOString();
    expect([proven.status, proven.body]).toMatchObject([201, { session: { provenUntil } }]);
    http.later(PROOF_MS - 1);
    expect((await ada.call('POST', '/keys', { mode: 'live' })).status).toBe(201);
    http.later(1);
    await tryAll();
    // A proof of a clock that was hours ahead.
    http.later(-2 * PROOF_MS - 1);
    await tryAll();
    http.later(2 * PROOF_MS + 1);
    expect((await ada.call('POST', '/session/proof', answer)).status).toBe(400);
    await tryAll();
  });

  it('is not renewed by the passkey of somebody else', async () => {
    const [shop, other] = [await http.merchant(), await http.merchant()];
    const ada = await signedIn(http, shop, 'admin', 'Ada');
    const mallory = await signedIn(http, other, 'admin', 'Mallory');
    const passkey = await addPasskey(mallory);
    http.later(PROOF_MS);
    const answer = passkey.answer(await challengeOf(ada, '/session/challenges'), mallory.id);
    expectError(await ada.call('POST', '/session/proof', answer), 400, expect.stringMatching(/is not one of Ada/));
    expect((await ada.call('POST', '/keys', { mode: 'live' })).status).toBe(403);
  });

  it('sends no live money elsewhere: each address needs an answer of a passkey of the member, which counts once', async () => {
    const shop = await http.merchant();
    const [ada, mallory] = [await signedIn(http, shop, 'admin', 'Ada'), await signedIn(http, shop, 'admin', 'Mallory')];
    const [own, other] = [await addPasskey(ada), await addPasskey(mallory)];
    const answerOf = async (device: typeof own, { id }: Person) =>
      device.answer(await challengeOf(ada, '/session/challenges'), id);
    const set = async (passkey?: unknown, receiverWallet = BOB, mode = 'live') => {
      const reply = await ada.call('POST', '/wallets', { mode, tokenKey: 'usdc-base', receiverWallet, passkey });
      return [reply.status, JSON.stringify(reply.body)] as const;
    };
    const old = await answerOf(own, ada);
    http.later(PROOF_MS);
    expect(await set(old)).toEqual([400, expect.stringMatching(/not accepted/)]);
    const proof = await answerOf(own, ada);
    expect((await ada.call('POST', '/session/proof', proof)).status).toBe(201);
    expect(await set()).toEqual([403, expect.stringMatching(/^{"error":"This needs one of your passkeys; /)]);
    expect(await set(proof)).toEqual([400, expect.stringMatching(/not accepted/)]);
    expect(await set(await answerOf(other, mallory))).toEqual([400, expect.stringMatching(/is not one of Ada/)]);
    expect((await ada.call('GET', '/live/wallets')).body).toEqual({ wallets: [] });
    expect((await set(undefined, BOB, 'test'))[0]).toBe(201);

    const answer = await answerOf(own, ada);
    http.later(1);
    expect((await set(answer))[0]).toBe(201);
    expect(await set(answer, CAROL)).toEqual([400, expect.stringMatching(/not accepted/)]);
    expect((await ada.call('GET', '/activity?limit=1')).body).toMatchObject({
      activity: [{ text: `Set the payout wallet of USDC on Base to ${BOB}, confirmed with a passkey` }],
    });
  });

  it('sends no live money elsewhere once the sign-in of a member without a passkey is ten minutes old', async () => {
    const shop = await http.merchant();
    const ada = await signedIn(http, shop, 'admin', 'Ada');
    const wallet = { mode: 'live', tokenKey: 'usdc-base', receiverWallet: BOB };
    expect((await ada.call('POST', '/wallets', wallet)).status).toBe(201);
    http.later(PROOF_MS);
    const refusal = { error: expect.stringMatching(/^This needs a sign-in of the last ten minutes; sign in again/) };
    const elsewhere = { tokenKey: 'usdc-base', amount: '5', paymentMethod: 'wallet_transfer', idempotencyKey: 'one' };
    for (const attempt of [
      () => ada.call('POST', '/wallets', { ...wallet, receiverWallet: CAROL }),
      () => ada.call('POST', '/live/payments', { ...elsewhere, toWallet: CAROL }),
    ]) {
      const { status, body } = await attempt();
      expect([status, body]).toEqual([403, refusal]);
    }
    expect((await ada.call('POST', '/live/payments', { ...elsewhere, toWallet: BOB })).status).not.toBe(403);
  });

  it('leaves an entry in the journal with each passkey that is added or removed', async () => {
    const shop = await http.merchant();
    const ada = await signedIn(http, shop, 'admin', 'Ada');
    http.later(1);
    const passkey = await addPasskey(ada);
    const passkeyId = passkey.make('').id;
    http.later(1);
    expect((await ada.call('DELETE', `/passkeys/${passkeyId}`)).status).toBe(200);
    const details = { memberId: ada.id, name: 'Ada', passkeyId };
    expect(await journalOf(http, shop.merchant._id)).toMatchObject([
      { by: 'member:Ada', action: 'passkey.removed', details },
      { by: 'member:Ada', action: 'passkey.added', details },
      { by: 'staff', action: 'member.invited' },
    ]);
  });
});
