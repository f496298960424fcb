import { DASHBOARD_ROUTES } from '../../src/dashboard/routes.ts';
import type { MemberRole } from '../../src/dashboard/wire.ts';
import { type HttpHarness, startHttp } from '../support/http.ts';
import { OWN, type Person, signedIn } from './support.ts';

/** The least role of each row of the account. */
const ACCOUNT: { readonly [row: string]: MemberRole } = {
  'POST /passkeys/challenges': 'viewer',
  'POST /passkeys': 'viewer',
  'DELETE /passkeys/{passkeyId}': 'viewer',
  'GET /members': 'viewer',
  'POST /members': 'admin',
  'PATCH /members/{memberId}': 'admin',
  'DELETE /members/{memberId}': 'admin',
  'POST /members/{memberId}/invitation': 'admin',
  'GET /keys': 'viewer',
  'POST /keys': 'admin',
  'DELETE /keys/{keyId}': 'admin',
  'POST /wallets': 'admin',
  'DELETE /wallets/{walletId}': 'admin',
  'GET /branding': 'viewer',
  'PATCH /branding': 'admin',
  'POST /webhooks/test-event': 'admin',
};

/** The rows of the merchant API that a member may not call, in each environment. */
const OF_ADMINS = ['PATCH /webhooks/endpoint', 'GET /webhooks/secret', 'POST /webhooks/secret/rotate'];

const ROLES = ['viewer', 'member', 'admin'] as const;

const rows = DASHBOARD_ROUTES.flatMap((row) =>
  row.kind === 'session' ? [] : [[`${row.method} ${row.path}`, row] as const],
);

let http: HttpHarness;
let people: Readonly<Record<MemberRole, Person>>;
beforeAll(async () => {
  http = await startHttp();
  const shop = await http.merchant();
  const [viewer, member, admin] = await Promise.all(ROLES.map((role) => signedIn(http, shop, role)));
  if (!viewer || !member || !admin) throw new Error('three people were expected');
  people = { viewer, member, admin };
});

/** More calls than the limit of a minute are made here. */
beforeEach(() => {
  http.now = new Date(http.now.getTime() + 60_000);
});

function leastRole(name: string): MemberRole | undefined {
  const [, method, path] = /^(\w+) \/(?:test|live)(\/.*)$/.exec(name) ?? [];
  if (method === undefined) return ACCOUNT[name];
  if (OF_ADMINS.includes(`${method} ${path}`)) return 'admin';
  return method === 'GET' ? 'viewer' : 'member';
}

describe('the table of the dashboard', () => {
  it('has each row once, and every row of the account here', () => {
    const names = rows.map(([name]) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(rows.filter(([, { kind }]) => kind === 'account').map(([name]) => name)).toEqual(Object.keys(ACCOUNT));
  });

  it('leaves the sandbox out of the live environment, and has payout wallets only in the account', () => {
    const names = rows.map(([name]) => name);
    expect(names).toContain('POST /test/sandbox/charge');
    expect(names).not.toContain('POST /live/sandbox/charge');
    expect(names.filter((name) => /\/(test|live)\/wallets/.test(name))).toEqual([
      'GET /test/wallets',
      'GET /live/wallets',
    ]);
  });
});

describe('a role that is too low', () => {
  it.each(rows)('gets 403 at %s, and a sufficient one does not', async (name, { method, path }) => {
    const least = leastRole(name);
    if (least === undefined) throw new Error(`the role for ${name} is not written here`);
    const asked = path.replaceAll(/\{\w+\}/g, 'x');
    const body = method === 'GET' || method === 'DELETE' ? undefined : {};
    for (const role of ROLES) {
      const { status, body: answer } = await people[role].call(method, asked, body);
      if (ROLES.indexOf(role) < ROLES.indexOf(least)) {
        const error = `This needs the role ${least}, and yours is ${role}; ask an admin of your team`;
        expect([role, status, answer]).toEqual([role, 403, { error }]);
      } else expect([role, [401, 403, 405].includes(status), status]).toEqual([role, false, status]);
    }
    const stranger = await http.send(method, `/dashboard/api${asked}`, { headers: OWN, ...(body && { body }) });
    expect(stranger.status).toBe(401);
  });
});
