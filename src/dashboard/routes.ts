import { ROUTES, takesMode } from '../api/routes.ts';
import type { Endpoint, PublicEndpoint } from '../http/endpoint.ts';
import type { Method } from '../http/router.ts';
import type { MemberRole } from '../store/collections.ts';
import type { Mode } from '../store/documents.ts';
import { listActivity } from './activity.ts';
import { getBranding, getEmbedOrigins, updateBranding, updateEmbedOrigins } from './branding.ts';
import type { DashboardCaller, DashboardVisitor } from './endpoint.ts';
import { getInvoicing, updateInvoicing } from './invoicing.ts';
import { getLetterSettings, listOwnLetters, resendOwnLetter, stopOwnLetters, updateLetterSettings } from './letters.ts';
import { inviteMember, inviteMemberAgain, listMembers, removeMember, updateMember } from './members.ts';
import { getOverview } from './overview.ts';
import { nameOwn, searchOwn } from './search.ts';
import {
  addPasskey,
  challengeNewPasskey,
  challengePasskey,
  endDashboardSession,
  getDashboardSession,
  openDashboardInvitation,
  proveSession,
  removePasskey,
  signInWithPasskey,
} from './session.ts';
import { issueKey, listKeys, removeWallet, revokeKey, setWallet } from './wallets.ts';
import { makeFirstSecret, sendTestEvent } from './webhooks.ts';

/** A row without a session: to open or end one, or to ask for it. Paths are relative to `/dashboard/api`. */
interface DashboardSessionRoute {
  readonly kind: 'session';
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: `/${string}`;
  readonly endpoint: Endpoint<DashboardVisitor>;
}

/** How old the last proof of the person may be: ten minutes, or the age of the session. */
type Proof = 'fresh' | 'old';

/** A row of the account, which is of both environments. */
export interface AccountRoute {
  readonly kind: 'account';
  readonly method: Method;
  readonly path: `/${string}`;
  /** The least role that may call it. */
  readonly role: MemberRole;
  /** `fresh`: it makes or changes a way to sign in, so the member has to have proven who they are just before. */
  readonly proof: Proof;
  readonly endpoint: Endpoint<DashboardCaller>;
}

/** A row of the merchant API in one environment. */
export interface MerchantRoute {
  readonly kind: 'merchant';
  readonly method: Method;
  readonly path: `/${string}`;
  readonly role: MemberRole;
  readonly mode: Mode;
  readonly endpoint: PublicEndpoint;
}

export type DashboardRoute = DashboardSessionRoute | AccountRoute | MerchantRoute;

const SESSION_ROUTES: readonly Omit<DashboardSessionRoute, 'kind'>[] = [
  { method: 'GET', path: '/session', endpoint: getDashboardSession },
  { method: 'POST', path: '/session', endpoint: signInWithPasskey },
  { method: 'DELETE', path: '/session', endpoint: endDashboardSession },
  { method: 'POST', path: '/session/invitation', endpoint: openDashboardInvitation },
  { method: 'POST', path: '/session/challenges', endpoint: challengePasskey },
  { method: 'POST', path: '/session/proof', endpoint: proveSession },
];

const ACCOUNT_ROUTES: readonly AccountRoute[] = [
  account('POST', '/passkeys/challenges', 'viewer', 'fresh', challengeNewPasskey),
  account('POST', '/passkeys', 'viewer', 'fresh', addPasskey),
  account('DELETE', '/passkeys/{passkeyId}', 'viewer', 'fresh', removePasskey),
  account('GET', '/members', 'viewer', 'old', listMembers),
  account('POST', '/members', 'admin', 'fresh', inviteMember),
  account('PATCH', '/members/{memberId}', 'admin', 'fresh', updateMember),
  account('DELETE', '/members/{memberId}', 'admin', 'old', removeMember),
  account('POST', '/members/{memberId}/invitation', 'admin', 'fresh', inviteMemberAgain),
  account('GET', '/keys', 'viewer', 'old', listKeys),
  account('POST', '/keys', 'admin', 'fresh', issueKey),
  account('DELETE', '/keys/{keyId}', 'admin', 'old', revokeKey),
  account('POST', '/wallets', 'admin', 'old', setWallet),
  account('DELETE', '/wallets/{walletId}', 'admin', 'old', removeWallet),
  account('GET', '/branding', 'viewer', 'old', getBranding),
  account('PATCH', '/branding', 'admin', 'old', updateBranding),
  account('GET', '/embed-origins', 'viewer', 'old', getEmbedOrigins),
  account('PATCH', '/embed-origins', 'admin', 'old', updateEmbedOrigins),
  account('GET', '/letter-settings', 'viewer', 'old', getLetterSettings),
  account('PATCH', '/letter-settings', 'admin', 'old', updateLetterSettings),
  account('GET', '/invoicing', 'viewer', 'old', getInvoicing),
  account('PATCH', '/invoicing', 'admin', 'old', updateInvoicing),
  account('GET', '/letters', 'viewer', 'old', listOwnLetters),
  account('POST', '/letters/stops', 'member', 'old', stopOwnLetters),
  account('POST', '/letters/resends', 'member', 'old', resendOwnLetter),
  account('GET', '/search', 'viewer', 'old', searchOwn),
  account('GET', '/names', 'viewer', 'old', nameOwn),
  account('POST', '/webhooks/test-event', 'admin', 'old', sendTestEvent),
  account('POST', '/webhooks/first-secret', 'admin', 'old', makeFirstSecret),
  account('GET', '/overview', 'viewer', 'old', getOverview),
  account('GET', '/activity', 'admin', 'old', listActivity),
];

/** The rows of the merchant API that have a role, below `/test` and `/live`. */
const MERCHANT_ROUTES: readonly MerchantRoute[] = (['test', 'live'] as const).flatMap((mode) =>
  ROUTES.filter((row) => takesMode(row, mode)).flatMap(({ method, path, role, endpoint }): readonly MerchantRoute[] =>
    role === 'none' ? [] : [{ kind: 'merchant', method, path: `/${mode}${path}`, role, mode, endpoint }],
  ),
);

/** The table of the dashboard (docs/rules.md, "Dashboard"). */
export const DASHBOARD_ROUTES: readonly DashboardRoute[] = [
  ...SESSION_ROUTES.map((row) => ({ kind: 'session' as const, ...row })),
  ...ACCOUNT_ROUTES,
  ...MERCHANT_ROUTES,
];

function account(
  method: Method,
  path: `/${string}`,
  role: MemberRole,
  proof: Proof,
  endpoint: Endpoint<DashboardCaller>,
): AccountRoute {
  return { kind: 'account', method, path, role, proof, endpoint };
}
