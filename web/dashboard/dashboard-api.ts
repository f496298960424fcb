import { ownApi } from '../ui/own-api.ts';
import { session } from './access/session.ts';
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
