import type { Request, Response, Router } from 'express';
import { z } from 'zod';
import { inPreferredForm } from '../api/preferred-form.ts';
import { findMemberSession, type MemberSession } from '../billing/members/sessions.ts';
import { ROWS_MAX } from '../billing/payout/announcements.ts';
import { Fault } from '../errors/fault.ts';
import { callEndpoint } from '../http/call.ts';
import type { HttpDeps } from '../http/deps.ts';
import type { Answer, Caller } from '../http/endpoint.ts';
import { noteMerchant } from '../http/middleware/access-log.ts';
import { unauthorized } from '../http/middleware/authenticate.ts';
import { clientOf } from '../http/middleware/client-address.ts';
import { limitVisitor } from '../http/middleware/rate-limit.ts';
import { requireSameSite } from '../http/middleware/same-site.ts';
import { routerOf } from '../http/router.ts';
import { secretIn } from '../http/session-cookie.ts';
import type { MemberRole } from '../store/collections.ts';
import type { Tenant } from '../store/documents.ts';
import { tenantStore } from '../store/tenant.ts';
import type { WindowCounters } from '../store/windows.ts';
import { type NotedCall, noteCall } from './activity.ts';
import { DASHBOARD_COOKIE, DASHBOARD_HEADER, type DashboardVisitor } from './endpoint.ts';
import { requireProof } from './proof.ts';
import { type AccountRoute, DASHBOARD_ROUTES, type MerchantRoute } from './routes.ts';

/** The API of the dashboard: a session's cookie and a role, limited by address. */
export function dashboardRouter(deps: HttpDeps, counters: WindowCounters): Router {
  return routerOf(DASHBOARD_ROUTES, async (row, request, response) => {
    const now = deps.clock();
    await limitVisitor(counters, request, 'dashboard', now);
    requireSameSite(request, DASHBOARD_HEADER);
    const visitor = await visitorOf(deps, request);
    if (visitor.session !== null) noteMerchant(response, visitor.session.merchant._id);
    if (row.kind === 'session') return callEndpoint(row.endpoint, { request, response, caller: visitor, now }, deps);
    const session = admitted(visitor, row);
    if (row.kind === 'account' && row.proof === 'fresh') requireProof(session, now);
    const caller = { session, from: clientOf(request).address };
    if (row.kind === 'account') return callEndpoint(row.endpoint, { request, response, caller, now }, deps);
    const answer = await callMerchantApi(deps, row, { request, response, session, now });
    if (row.method !== 'GET') await noteCall(deps, caller, calledBy(row, request, answer));
    return answer;
  });
}

interface MerchantCall {
  readonly request: Request;
  readonly response: Response;
  readonly session: MemberSession;
  readonly now: Date;
}

/** The same endpoint, with the same answer, as for a key of the environment. */
async function callMerchantApi(
  deps: HttpDeps,
  { endpoint, mode }: MerchantRoute,
  { request, response, session, now }: MerchantCall,
): Promise<Answer> {
  const { merchant } = session;
  const caller: Caller = { merchantId: merchant._id, merchant, mode, via: 'dashboard' };
  const admitBody = (body: unknown) => requireOwnDestinations(deps, caller, session, { now, body });
  const answer = await callEndpoint(endpoint, { request, response, caller, now, admitBody }, deps);
  return endpoint.csv === undefined ? answer : inPreferredForm(request, answer, endpoint.csv, deps.config.publicUrl);
}

const made = z.object({ id: z.string() });

/** The resource is the one in the path, or the one that was made. */
function calledBy({ endpoint, mode }: MerchantRoute, request: Request, { body }: Answer): NotedCall {
  const [named] = Object.values(request.params).flat();
  return { call: endpoint.id, mode, resourceId: named ?? made.safeParse(body).data?.id ?? null };
}

async function visitorOf(deps: HttpDeps, { headers }: Request): Promise<DashboardVisitor> {
  const secret = secretIn(DASHBOARD_COOKIE, headers.cookie);
  return { secret, session: secret === null ? null : await findMemberSession(deps, secret) };
}

const RANK: { readonly [R in MemberRole]: number } = { viewer: 0, member: 1, admin: 2 };

/** Throws 401 without a session, and 403 for a role that is too low and for a suspended merchant. */
function admitted({ session }: DashboardVisitor, { role }: AccountRoute | MerchantRoute): MemberSession {
  if (session === null) throw unauthorized();
  const { member, merchant } = session;
  if (merchant.status === 'suspended') throw new Fault('forbidden', `${merchant.name} is suspended; ask the service`);
  if (RANK[member.role] >= RANK[role]) return session;
  throw new Fault('forbidden', `This needs the role ${role}, and yours is ${member.role}; ask an admin of your team`);
}

/** The fields of the merchant API that name a receiver of money. */
const DESTINATIONS: ReadonlySet<string> = new Set([
  'toWallet',
  'refundWallet',
  'splitEvm',
  'splitSolana',
  'merchantDestinationWallet',
]);

/**
 * Throws 403 for a member who would send money elsewhere than to the payout wallets, which admins set, and for an admin
 * who would send live money there without a fresh proof.
 */
async function requireOwnDestinations(
  deps: Pick<HttpDeps, 'store'>,
  tenant: Tenant,
  session: MemberSession,
  { now, body }: { readonly now: Date; readonly body: unknown },
): Promise<void> {
  const { role } = session.member;
  const named = role === 'admin' && tenant.mode === 'test' ? [] : destinationsIn(body);
  if (named.length === 0) return;
  const where = { receiverWallet: { not: null } };
  const rows = await tenantStore(deps.store, tenant).find('wallets', { where, limit: ROWS_MAX });
  const own = new Set(rows.map(({ receiverWallet }) => spelled(receiverWallet ?? '')));
  const other = named.find(({ address }) => !own.has(spelled(address)));
  if (other === undefined) return;
  if (role === 'admin') return requireProof(session, now);
  throw new Fault(
    'forbidden',
    `${other.field} names an address that is no registered payout wallet: this needs the role admin, and yours is ${role}; ask an admin of your team`,
  );
}

interface Destination {
  readonly field: string;
  readonly address: string;
}

/** At any depth, because options are inside of offers, and offers inside of batches. */
function destinationsIn(value: unknown): Destination[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([field, inner]) =>
    DESTINATIONS.has(field) ? textsIn(inner).map((address) => ({ field, address })) : destinationsIn(inner),
  );
}

/** Every text is taken for an address, but for the percentages of splits. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([field, inner]) => (field === 'percentage' ? [] : textsIn(inner)));
}

/** Addresses on EVM are the same in any case. */
function spelled(address: string): string {
  return /^0x/i.test(address.trim()) ? address.trim().toLowerCase() : address.trim();
}
