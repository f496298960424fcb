import { ROUTES, takesMode } from '../api/routes.ts';
import type { Endpoint, PublicEndpoint } from '../http/endpoint.ts';
import type { Method } from '../http/router.ts';
import type { MemberRole } from '../store/collections.ts';
import type { Mode } from '../store/documents.ts';
import { getBranding, updateBranding } from './branding.ts';
import type { DashboardCaller, DashboardVisitor } from './endpoint.ts';
import { issueKey, listKeys, revokeKey } from './keys.ts';
import { inviteMember, inviteMemberAgain, listMembers, removeMember, updateMember } from './members.ts';
import {
  addPasskey,
  challengeNewPasskey,
  challengePasskey,
  endDashboardSession,
  getDashboardSession,
  openDashboardInvitation,
  removePasskey,
  signInWithPasskey,
} from './session.ts';
import { removeWallet, setWallet } from './wallets.ts';
import { sendTestEvent } from './webhooks.ts';

/**
 * A row without a session: to open one, to end it, or to ask whether one is open. Paths are relative to
 * `/dashboard/api`.
 */
interface DashboardSessionRoute {
  readonly kind: 'session';
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: `/${string}`;
  readonly endpoint: Endpoint<DashboardVisitor>;
}

/** A row of the account, which is of both environments. */
export interface AccountRoute {
  readonly kind: 'account';
  readonly method: Method;
  readonly path: `/${string}`;
  /** The least role that may call it. */
  readonly role: MemberRole;
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
];

const ACCOUNT_ROUTES: readonly Omit<AccountRoute, 'kind'>[] = [
  { method: 'POST', path: '/passkeys/challenges', role: 'viewer', endpoint: challengeNewPasskey },
  { method: 'POST', path: '/passkeys', role: 'viewer', endpoint: addPasskey },
  { method: 'DELETE', path: '/passkeys/{passkeyId}', role: 'viewer', endpoint: removePasskey },
  { method: 'GET', path: '/members', role: 'viewer', endpoint: listMembers },
  { method: 'POST', path: '/members', role: 'admin', endpoint: inviteMember },
  { method: 'PATCH', path: '/members/{memberId}', role: 'admin', endpoint: updateMember },
  { method: 'DELETE', path: '/members/{memberId}', role: 'admin', endpoint: removeMember },
  { method: 'POST', path: '/members/{memberId}/invitation', role: 'admin', endpoint: inviteMemberAgain },
  { method: 'GET', path: '/keys', role: 'viewer', endpoint: listKeys },
  { method: 'POST', path: '/keys', role: 'admin', endpoint: issueKey },
  { method: 'DELETE', path: '/keys/{keyId}', role: 'admin', endpoint: revokeKey },
  { method: 'POST', path: '/wallets', role: 'admin', endpoint: setWallet },
  { method: 'DELETE', path: '/wallets/{walletId}', role: 'admin', endpoint: removeWallet },
  { method: 'GET', path: '/branding', role: 'viewer', endpoint: getBranding },
  { method: 'PATCH', path: '/branding', role: 'admin', endpoint: updateBranding },
  { method: 'POST', path: '/webhooks/test-event', role: 'admin', endpoint: sendTestEvent },
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
  ...ACCOUNT_ROUTES.map((row) => ({ kind: 'account' as const, ...row })),
  ...MERCHANT_ROUTES,
];
