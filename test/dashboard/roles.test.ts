import { DASHBOARD_ROUTES } from '../../src/dashboard/routes.ts';
import type { MemberRole } from '../../src/dashboard/wire.ts';
import { REFERENCE } from '../api/reference.ts';
import { useHttp } from '../support/http.ts';
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
  'GET /embed-origins': 'viewer',
  'PATCH /embed-origins': 'admin',
  'GET /letter-settings': 'viewer',
  'PATCH /letter-settings': 'admin',
  'GET /invoicing': 'viewer',
  'PATCH /invoicing': 'admin',
  'GET /letters': 'viewer',
  'POST /letters/stops': 'member',
  'POST /letters/resends': 'member',
  'GET /search': 'viewer',
  'GET /names': 'viewer',
  'POST /webhooks/test-event': 'admin',
  'POST /webhooks/first-secret': 'admin',
  'GET /overview': 'viewer',
  'GET /activity': 'admin',
};

/** The least role of each row of the merchant API. */
const MERCHANT = new Map(REFERENCE.map(([name, role]) => [name, role]));

const ROLES = ['viewer', 'member', 'admin'] as const;

const rows = DASHBOARD_ROUTES.flatMap((row) =>
  row.kind === 'session' ? [] : [[`${row.method} ${row.path}`, row] as const],
);

const http = useHttp();
let people: Readonly<Record<MemberRole, Person>>;
/** More calls than the limit of a minute are made here, some of which need a fresh sign-in. */
beforeEach(async () => {
  http.later(60_000);
  const shop = await http.merchant();
  const [viewer, member, admin] = await Promise.all(ROLES.map((role) => signedIn(http, shop, role)));
  if (!viewer || !member || !admin) throw new Error('three people were expected');
  people = { viewer, member, admin };
});

function leastRole(name: string): MemberRole | 'none' | undefined {
  const [, method, path] = /^(\w+) \/(?:test|live)(\/.*)$/.exec(name) ?? [];
  return method === undefined ? ACCOUNT[name] : MERCHANT.get(`${method} ${path}`);
}

describe('the table of the dashboard', () => {
  it('has each row once, and every row of the account here', () => {
    const names = rows.map(([name]) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(rows.filter(([, { kind }]) => kind === 'account').map(([name]) => name)).toEqual(Object.keys(ACCOUNT));
  });

  it('has the merchant API in each mode that a row takes, but for the rows of keys alone', () => {
    const merchant = rows.filter(([, { kind }]) => kind === 'merchant').map(([name]) => name);
    const expected = (['test', 'live'] as const).flatMap((mode) =>
      REFERENCE.filter(([, role, takes]) => role !== 'none' && takes !== (mode === 'test' ? 'live' : 'test')).map(
        ([name]) => name.replace(' ', ` /${mode}`),
      ),
    );
    expect(merchant).toEqual(expected);
  });
});

describe('a role that is too low', () => {
  it.each(rows)('gets 403 at %s, and a sufficient one does not', async (name, { method, path }) => {
    const least = leastRole(name);
    if (least === undefined || least === 'none') throw new Error(`the role for ${name} is not written here`);
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
