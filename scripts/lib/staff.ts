import { z } from 'zod';
import { type JsonRequest, requestJson } from './json-request.ts';

const madeSchema = z.object({ id: z.string(), testKey: z.string(), liveKey: z.string() });

const merchantSchema = z.object({
  id: z.string(),
  name: z.string(),
  status: z.enum(['active', 'suspended']),
  feeBps: z.number(),
  limitFactor: z.number(),
  createdAt: z.string(),
  updatedAt: z.string(),
});

const keySchema = z.object({
  id: z.string(),
  mode: z.enum(['test', 'live']),
  hint: z.string(),
  createdAt: z.string(),
  revokedAt: z.string().nullable(),
  key: z.string(),
});

/** A new merchant with its keys, which are shown only once. */
export type MadeMerchant = z.infer<typeof madeSchema>;

/** A merchant in the staff's list. */
export type StaffMerchant = z.infer<typeof merchantSchema>;

/** A new key, which is shown only once. */
export type IssuedKey = z.infer<typeof keySchema>;

/** The service to call. `url` has no version segment. */
export interface StaffApi {
  readonly url: string;
  readonly token: string;
  /** The name of the person, for the staff journal; absent: `staff`. */
  readonly name?: string;
}

const PAGE = 100;

type StaffCall<T> = Pick<JsonRequest<T>, 'method' | 'body' | 'schema' | 'expected' | 'signal'> & {
  readonly path: string;
};

/** `POST /staff/api/merchants` (docs/rules.md, "Staff"). Throws like `requestJson`, as do the other functions here. */
export function createMerchant(api: StaffApi, name: string, signal?: AbortSignal): Promise<MadeMerchant> {
  const body = { name };
  return ask(api, { method: 'POST', path: '/merchants', body, schema: madeSchema, expected: [201], signal });
}

/** Every merchant, newest first. */
export async function listMerchants(api: StaffApi, status?: StaffMerchant['status']): Promise<StaffMerchant[]> {
  const schema = z.object({ merchants: z.array(merchantSchema), hasMore: z.boolean() });
  const only = status === undefined ? '' : `&status=${status}`;
  const found: StaffMerchant[] = [];
  for (;;) {
    const last = found.at(-1);
    const from = last === undefined ? '' : `&startingAfter=${last.id}`;
    const path = `/merchants?limit=${PAGE}${only}${from}`;
    const { merchants, hasMore } = await ask(api, { method: 'GET', path, schema, expected: [200] });
    found.push(...merchants);
    if (!hasMore) return found;
  }
}

export function setLimitFactor(api: StaffApi, id: string, limitFactor: number, reason: string): Promise<StaffMerchant> {
  const body = { limitFactor, reason };
  return ask(api, { method: 'PATCH', path: pathOf(id), body, schema: merchantSchema, expected: [200] });
}

export function suspendMerchant(api: StaffApi, id: string, reason: string): Promise<StaffMerchant> {
  const path = `${pathOf(id)}/suspend`;
  return ask(api, { method: 'POST', path, body: { reason }, schema: merchantSchema, expected: [200] });
}

export function reinstateMerchant(api: StaffApi, id: string, reason: string): Promise<StaffMerchant> {
  const path = `${pathOf(id)}/reinstate`;
  return ask(api, { method: 'POST', path, body: { reason }, schema: merchantSchema, expected: [200] });
}

export function issueKey(api: StaffApi, id: string, mode: 'test' | 'live', reason: string): Promise<IssuedKey> {
  const path = `${pathOf(id)}/keys`;
  return ask(api, { method: 'POST', path, body: { mode, reason }, schema: keySchema, expected: [201] });
}

const invitationSchema = z.object({
  id: z.string(),
  name: z.string(),
  role: z.string(),
  url: z.string(),
  expiresAt: z.string(),
});
export type Invitation = z.output<typeof invitationSchema>;

/** A person to invite to the dashboard of a merchant. */
export interface Invitee {
  readonly name: string;
  readonly role: 'viewer' | 'member' | 'admin';
}

export function inviteMember(api: StaffApi, id: string, person: Invitee, reason: string): Promise<Invitation> {
  const path = `${pathOf(id)}/members`;
  return ask(api, { method: 'POST', path, body: { ...person, reason }, schema: invitationSchema, expected: [201] });
}

function ask<T>({ url, token, name }: StaffApi, { path, ...asked }: StaffCall<T>): Promise<T> {
  const headers = { Authorization: `Bearer ${token}`, ...(name === undefined ? {} : { 'X-Staff-Name': name }) };
  return requestJson({ ...asked, url: `${url}/staff/api${path}`, headers });
}

function pathOf(id: string): string {
  return `/merchants/${encodeURIComponent(id)}`;
}
