import { z } from 'zod';
import { invitationSchema, merchantSchema, type NewMerchant, newMerchantSchema } from '../../src/staff/wire.ts';
import { type JsonRequest, requestJson } from './json-request.ts';

// As in the staff API, but a newer service may answer with further fields.
const newMerchant = z.object(newMerchantSchema.shape);
const merchant = z.object(merchantSchema.shape);
const invitation = z.object(invitationSchema.shape);

/** The service to call. `url` has no version segment. */
export interface StaffApi {
  readonly url: string;
  readonly token: string;
}

/** `POST /staff/api/merchants` (docs/rules.md, "Staff"). Throws like `requestJson`, as do the other functions here. */
export function createMerchant(api: StaffApi, name: string, signal?: AbortSignal): Promise<NewMerchant> {
  return askStaff(api, 'POST', '/merchants', newMerchant, { name }, signal);
}

export function setLimitFactor(api: StaffApi, id: string, limitFactor: number, reason: string) {
  return askStaff(api, 'PATCH', pathOf(id), merchant, { limitFactor, reason });
}

/** A person to invite to the dashboard of a merchant. */
export interface Invitee {
  readonly name: string;
  readonly role: 'viewer' | 'member' | 'admin';
}

export function inviteMember(api: StaffApi, id: string, person: Invitee, reason: string) {
  return askStaff(api, 'POST', `${pathOf(id)}/members`, invitation, { ...person, reason });
}

/** A call of the staff API; `path` is below `/staff/api`. */
export function askStaff<T>(
  { url, token }: StaffApi,
  method: JsonRequest<T>['method'],
  path: string,
  schema: z.ZodType<T>,
  body?: object,
  signal?: AbortSignal,
): Promise<T> {
  const headers = { Authorization: `Bearer ${token}` };
  return requestJson({ method, url: `${url}/staff/api${path}`, headers, body, schema, expected: [200, 201], signal });
}

function pathOf(id: string): string {
  return `/merchants/${encodeURIComponent(id)}`;
}
