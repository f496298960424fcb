import type { DashboardSession, MemberRole } from '../../src/dashboard/wire.ts';
import { ownApi } from '../ui/own-api.ts';
import { createSession } from '../ui/session.ts';
import { useSelector } from '../ui/use-selector.ts';
import type { Mode } from './route.ts';

type AccountPart =
  | 'session'
  | 'passkeys'
  | 'members'
  | 'keys'
  | 'wallets'
  | 'branding'
  | 'embed-origins'
  | 'letter-settings'
  | 'invoicing'
  | 'letters'
  | 'activity'
  | 'search'
  | 'names'
  | 'webhooks/test-event'
  | 'webhooks/first-secret';

/** A path of the merchant API, below the environment that the page shows. */
export type MerchantPath = `/${Mode}/${string}`;

type AccountPath = `/${AccountPart}${'' | `/${string}` | `?${string}`}` | `/overview?mode=${Mode}`;

/** The environment in a body is that of the page too. */
export type DashboardBody = { readonly mode?: Mode; readonly [field: string]: unknown };

export const { fetchOwn, get, post, patch, remove, useLoad } = ownApi<MerchantPath | AccountPath, DashboardBody>(
  'dashboard',
  () => session.trigger.ended(),
);

export const { session, useAnswer, notifyTabs } = createSession<DashboardSession>('tideline-dashboard-session');

const RANK: { readonly [R in MemberRole]: number } = { viewer: 0, member: 1, admin: 2 };

/** True if the member has this role or a higher one: a page shows no action that the service would refuse. */
export function useRole(role: MemberRole): boolean {
  return useSelector(session, ({ who }) => who !== null && RANK[who.member.role] >= RANK[role]);
}
