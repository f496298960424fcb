import type { Endpoint, StaffCaller } from '../http/endpoint.ts';
import type { Method } from '../http/routes.ts';
import { createMerchant } from './create-merchant.ts';

/** One row of the staff API. `path` is relative to `/staff/api`. */
export interface StaffRoute {
  readonly method: Method;
  readonly path: `/${string}`;
  readonly endpoint: Endpoint<StaffCaller>;
}

/** The table of the staff API (decisions, "Staff"). */
export const STAFF_ROUTES: readonly StaffRoute[] = [{ method: 'POST', path: '/merchants', endpoint: createMerchant }];
