import { inviteMember } from '../../src/billing/members/members.ts';
import type { MemberRole } from '../../src/dashboard/wire.ts';
import { cookieOf, type HttpHarness, type Reply } from '../support/http.ts';

/** A merchant, of which only the id counts. */
interface Shop {
  readonly merchant: { readonly _id: string };
}

export const OWN = { 'X-Dashboard-Request': '1' } as const;

/** A person with an open session of the dashboard. */
export interface Person {
  readonly id: string;
  readonly cookie: string;
  /** A call with the session, as the page makes it. */
  call(method: string, path: string, body?: unknown): Promise<Reply>;
}

/** The link's token, from the service itself, as `npm run ops -- merchant invite` gets it. */
export async function invite(
  { deps }: HttpHarness,
  { merchant }: Shop,
  role: MemberRole,
  name: string = role,
): Promise<{ readonly id: string; readonly token: string }> {
  const order = { by: 'staff', reason: 'a test' };
  const { member, token } = await inviteMember(deps, merchant._id, { name, role }, order);
  return { id: member._id, token };
}

export function openLink(http: HttpHarness, token: string): Promise<Reply> {
  return http.send('POST', '/dashboard/api/session/invitation', { headers: OWN, body: { token } });
}

export async function signedIn(
  http: HttpHarness,
  merchant: Shop,
  role: MemberRole,
  name: string = role,
): Promise<Person> {
  const { id, token } = await invite(http, merchant, role, name);
  const reply = await openLink(http, token);
  if (reply.status !== 201) throw new Error(`no session: ${reply.status} ${JSON.stringify(reply.body)}`);
  const cookie = cookieOf(reply);
  const call: Person['call'] = (method, path, body) =>
    http.send(method, `/dashboard/api${path}`, {
      headers: { ...OWN, cookie },
      ...(body === undefined ? {} : { body }),
    });
  return { id, cookie, call };
}
