import { addStaffToken, revokeStaffToken } from '../../src/billing/administration/staff-tokens.ts';
import { STAFF_ROUTES } from '../../src/staff/routes.ts';
import type { StaffRole } from '../../src/store/collections.ts';
import { ALICE } from '../support/bodies.ts';
import { cookieOf, expectError, type Reply, STAFF_TOKEN, startHttp, useHttp } from '../support/http.ts';
import { journalOf, REASON, staff } from './support/staff.ts';

const http = useHttp();
let names = 0;
const OWN = { 'X-Staff-Request': '1' } as const;

function newToken(role: StaffRole, on = http) {
  names += 1;
  const name = `staff-${names}`;
  return addStaffToken(on.store.records, { name, role, now: on.now }).then((token) => ({ name, token }));
}

function bearer(token: string) {
  return { Authorization: `Bearer ${token}` };
}

function open(body: object, headers: { readonly [name: string]: string } = OWN, on = http): Promise<Reply> {
  return on.send('POST', '/staff/api/session', { body, headers });
}

async function session(role: StaffRole) {
  const { name, token } = await newToken(role);
  return { name, cookie: cookieOf(await open({ token })) };
}

describe('a named token', () => {
  it('signs in its person, whose name is in the journal', async () => {
    const { name, token } = await newToken('admin');
    const { merchant } = await http.merchant();
    const path = `/merchants/${merchant._id}/suspend`;
    expect((await staff(http, 'POST', path, { reason: REASON }, bearer(token))).status).toBe(200);
    expect(await journalOf(http, merchant._id)).toMatchObject([{ by: `staff:${name}`, reason: REASON }]);
  });

  it('is stored only as its hash', async () => {
    const { token } = await newToken('read');
    const stored = await http.store.records.find('staffTokens', { where: {}, limit: 100 });
    expect(JSON.stringify(stored)).not.toContain(token);
    expect(stored.map(({ hint }) => hint)).toContain(token.slice(-4));
  });

  it('lets nobody in after its revocation, nor does the session that it opened', async () => {
    const { name, token } = await newToken('act');
    const cookie = cookieOf(await open({ token }));
    await revokeStaffToken(http.store.records, name, http.now);
    expect((await http.send('GET', '/staff/api/trouble', { headers: bearer(token) })).status).toBe(401);
    expect((await http.send('GET', '/staff/api/trouble', { headers: { Cookie: cookie } })).status).toBe(401);
    const again = await addStaffToken(http.store.records, { name, role: 'read', now: http.now });
    expect((await http.send('GET', '/staff/api/session', { headers: bearer(again) })).body).toEqual({
      session: { by: `staff:${name}`, role: 'read' },
    });
  });

  it('is refused for a used name, and for an invalid one', async () => {
    const { name } = await newToken('read');
    const add = (called: string) => addStaffToken(http.store.records, { name: called, role: 'read', now: http.now });
    await expect(add(name)).rejects.toThrow(`${name} has a token; revoke it first`);
    await expect(add('<b>')).rejects.toThrow('NAME must be');
    await expect(revokeStaffToken(http.store.records, 'nobody', http.now)).rejects.toThrow('Not found');
  });

  it('decides who acts: a header with a name is refused, also from the holder of the shared token', async () => {
    const { merchant } = await http.merchant();
    for (const token of [(await newToken('admin')).token, STAFF_TOKEN]) {
      const headers = { ...bearer(token), 'X-Staff-Name': 'Ada' };
      const path = `/staff/api/merchants/${merchant._id}/suspend`;
      expect((await http.send('POST', path, { body: { reason: REASON }, headers })).status).toBe(400);
    }
    expect(await journalOf(http, merchant._id)).toEqual([]);
  });

  it('works without a shared token, and without any token the API is hidden', async () => {
    const own = await startHttp({ change: (deps) => ({ ...deps, staff: null }) });
    const { token } = await newToken('read', own);
    expect((await own.send('GET', '/staff/api/trouble', { headers: bearer(token) })).status).toBe(200);
    expect((await own.send('GET', '/staff/api/trouble', { headers: bearer(STAFF_TOKEN) })).status).toBe(404);
  });
});

const RISING = ['read', 'act', 'admin'] as const;

function callAs(token: string, method: string, path: string): Promise<Reply> {
  const asked = `/staff/api${path.replaceAll(/\{\w+\}/g, 'x')}`;
  const body = method === 'GET' ? {} : { body: { reason: REASON } };
  return http.send(method, asked, { headers: bearer(token), ...body });
}

/** docs/reference/staff-api.md has the role of every route, and test/scripts/documents.test.ts compares it. */
describe('a role', () => {
  const lower = STAFF_ROUTES.flatMap(({ method, path, role }) =>
    RISING.slice(0, RISING.indexOf(role)).map((own) => [own, method, path, role] as const),
  );
  it.each(lower)('%s gets 403 for %s %s, which needs %s', async (own, method, path, needs) => {
    const { token } = await newToken(own);
    expectError(await callAs(token, method, path), 403, `This needs the role ${needs}; yours is ${own}`);
  });

  const enough = STAFF_ROUTES.flatMap(({ method, path, role }) =>
    RISING.slice(RISING.indexOf(role)).map((own) => [own, method, path] as const),
  );
  it.each(enough)('%s is let in to %s %s', async (own, method, path) => {
    const { token } = await newToken(own);
    expect([401, 403]).not.toContain((await callAs(token, method, path)).status);
  });

  it('read also reads the metrics', async () => {
    const { token } = await newToken('read');
    expect((await http.send('GET', '/metrics', { headers: bearer(token) })).status).toBe(200);
  });

  it('act sends a held deposit back, but not to an address of its own choice', async () => {
    const { token } = await newToken('act');
    const send = (body: object) =>
      http.send('POST', '/staff/api/deposits/dep_x/send', { headers: bearer(token), body });
    const reply = await send({ reason: REASON, to: ALICE });
    expectError(reply, 403, 'An address of your own choice needs the role admin; yours is act');
    expect((await send({ reason: REASON })).status).toBe(404);
    expect((await send({ reason: REASON, to: null })).status).toBe(404);
    expect((await send({ reason: REASON, to: '' })).status).toBe(400);
  });
});

describe('the shared token', () => {
  it('is admin', async () => {
    const { body } = await http.send('GET', '/staff/api/session', { headers: bearer(STAFF_TOKEN) });
    expect(body).toMatchObject({ session: { role: 'admin' } });
  });
});

describe('a session', () => {
  it('is opened with a token, by a cookie that no script can read and no other site can send', async () => {
    const { name, token } = await newToken('act');
    const reply = await open({ token });
    expect(reply).toMatchObject({ status: 201, body: { by: `staff:${name}`, role: 'act' } });
    const cookie = reply.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(
      /^tideline_staff=[\w-]{43}; Path=\/staff; Max-Age=43200; HttpOnly; SameSite=Strict; Secure$/,
    );
    const seen = await http.send('GET', '/staff/api/session', { headers: { Cookie: cookieOf(reply) } });
    expect(seen.body).toEqual({ session: { by: `staff:${name}`, role: 'act' } });
  });

  it('is not opened with a wrong token', async () => {
    expectError(await open({ token: 'wrong' }), 401, 'Unauthorized');
    expect((await open({})).status).toBe(400);
  });

  it('of the shared token has no name of a colleague, whatever its user says', async () => {
    const { cookie, merchant } = {
      cookie: cookieOf(await open({ token: STAFF_TOKEN, name: 'Ada' })),
      ...(await http.merchant()),
    };
    const path = `/staff/api/merchants/${merchant._id}/suspend`;
    const headers = { Cookie: cookie, ...OWN };
    expect((await http.send('POST', path, { body: { reason: REASON }, headers })).status).toBe(200);
    expect(await journalOf(http, merchant._id)).toMatchObject([{ by: 'staff' }]);
  });

  it.each([
    ['without the header', {}],
    ['from another site', { ...OWN, 'Sec-Fetch-Site': 'cross-site' }],
    ['from another port of this host', { ...OWN, 'Sec-Fetch-Site': 'same-site' }],
  ])('changes nothing %s', async (_, headers) => {
    const { cookie } = await session('admin');
    const { merchant } = await http.merchant();
    const ask = { body: { reason: REASON }, headers: { Cookie: cookie, ...headers } };
    expect((await http.send('POST', `/staff/api/merchants/${merchant._id}/suspend`, ask)).status).toBe(403);
    expect((await http.send('DELETE', '/staff/api/session', ask)).status).toBe(403);
    expect((await open({ token: STAFF_TOKEN }, headers)).status).toBe(403);
    expect(await journalOf(http, merchant._id)).toEqual([]);
  });

  it('issues keys and invitations in its first ten minutes only; the token itself always does', async () => {
    const { name, token } = await newToken('admin');
    const cookie = cookieOf(await open({ token }));
    const { merchant } = await http.merchant();
    const calls = [
      ['keys', { mode: 'live', reason: REASON }],
      ['members', { name: 'Ada', role: 'admin', reason: REASON }],
    ] as const;
    const statuses = async (headers: { readonly [name: string]: string }) => {
      const post = ([path, body]: (typeof calls)[number]) =>
        http.send('POST', `/staff/api/merchants/${merchant._id}/${path}`, { body, headers });
      return (await Promise.all(calls.map(post))).map(({ status }) => status);
    };
    const before = http.now;
    http.now = new Date(before.getTime() + 10 * 60_000 - 1);
    expect(await statuses({ Cookie: cookie, ...OWN })).toEqual([201, 201]);
    http.now = new Date(before.getTime() + 10 * 60_000);
    expect(await statuses({ Cookie: cookie, ...OWN })).toEqual([403, 403]);
    // The session of a clock that was ahead.
    http.now = new Date(before.getTime() - 10 * 60_000);
    expect(await statuses({ Cookie: cookie, ...OWN })).toEqual([403, 403]);
    expect(await statuses(bearer(token))).toEqual([201, 201]);
    expect(await journalOf(http, merchant._id)).toMatchObject([1, 2, 3, 4].map(() => ({ by: `staff:${name}` })));
    http.now = before;
  });

  it('ends by a sign-out, and after twelve hours', async () => {
    const one = await session('read');
    const left = await http.send('DELETE', '/staff/api/session', { headers: { Cookie: one.cookie, ...OWN } });
    expect(left.headers.get('set-cookie')).toContain('Max-Age=0');
    expect((await http.send('GET', '/staff/api/trouble', { headers: { Cookie: one.cookie } })).status).toBe(401);
    const other = await session('read');
    const before = http.now;
    http.now = new Date(before.getTime() + 12 * 3_600_000);
    expect((await http.send('GET', '/staff/api/trouble', { headers: { Cookie: other.cookie } })).status).toBe(401);
    http.now = before;
  });
});

describe('an address with too many failures', () => {
  it('gets 429, also for opening a session', async () => {
    const own = await startHttp();
    const tries = Array.from({ length: 301 }, () => open({ token: 'wrong' }, OWN, own));
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
  });
});
