import { addStaffToken } from '../../../src/billing/administration/staff-tokens.ts';
import { errorSchema } from '../../../src/http/schemas.ts';
import { STAFF_ROUTES, type StaffRoute } from '../../../src/staff/routes.ts';
import type { LedgerStore } from '../../../src/store/port.ts';
import { withRecords } from '../../engine/support/stores.ts';
import { type HttpHarness, type Reply, STAFF_TOKEN } from '../../support/http.ts';

export const REASON = 'asked for by phone';

/** The id of a merchant that no test makes. */
export const NOBODY = 'mrc_01hm0000000000000000000009';

/** A call of the staff API (`/merchants`); its answer is checked against the row of the table. */
export async function staff(
  http: HttpHarness,
  method: string,
  path: string,
  body?: unknown,
  headers: { readonly [name: string]: string } = {},
): Promise<Reply> {
  const ask = {
    headers: { Authorization: `Bearer ${STAFF_TOKEN}`, ...headers },
    ...(body === undefined ? {} : { body }),
  };
  const reply = await http.send(method, `/staff/api${path}`, ask);
  checkAgainstTable(method, path, reply);
  return reply;
}

const adasTokens = new WeakMap<HttpHarness, Promise<string>>();

/** The token of Ada, an admin of the staff. */
export function adasToken(http: HttpHarness): Promise<string> {
  const token =
    adasTokens.get(http) ?? addStaffToken(http.store.records, { name: 'Ada', role: 'admin', now: http.now });
  adasTokens.set(http, token);
  return token;
}

/** The calls of Ada, who has her own token. */
export interface Ada {
  get(path: string): Promise<Reply>;
  post(path: string, body?: object): Promise<Reply>;
}

export function adaAt(http: HttpHarness): Ada {
  const call = async (method: string, path: string, body?: object) =>
    staff(http, method, path, body, { Authorization: `Bearer ${await adasToken(http)}` });
  return { get: (path) => call('GET', path), post: (path, body = { reason: REASON }) => call('POST', path, body) };
}

function checkAgainstTable(method: string, path: string, { status, body }: Reply): void {
  const [asked = ''] = path.split('?');
  const row = STAFF_ROUTES.find((route) => route.method === method && matches(route.path, asked));
  if (row === undefined) throw new Error(`${method} ${path} is not in the table of the staff API`);
  if (!mayAnswer(row, status)) throw new Error(`${method} ${path} answered ${status}: not documented`);
  const parsed = (row.endpoint.responses[status] ?? errorSchema).safeParse(body);
  if (!parsed.success) throw new Error(`${method} ${path} ${status}: ${parsed.error.message}`);
}

/** Statuses that every row may answer, beside its own. */
const COMMON_STATUSES: readonly number[] = [400, 401, 403, 404, 429, 500];

function mayAnswer({ endpoint: { responses, errors } }: StaffRoute, status: number): boolean {
  return `${status}` in responses || errors.includes(status) || COMMON_STATUSES.includes(status);
}

function matches(template: string, path: string): boolean {
  return new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);
}

/** The entries of a merchant's journal, newest first. */
export async function journalOf(http: HttpHarness, merchantId: string): Promise<unknown> {
  const { body } = await staff(http, 'GET', `/merchants/${merchantId}/journal`);
  return typeof body === 'object' && body !== null && 'entries' in body ? body.entries : body;
}

/** The store of a process that dies before it has copied an entry to the journal. */
export function dyingBeforeCopy(store: LedgerStore): LedgerStore {
  return withRecords(store, (records) => ({
    insert: async (into, docs) => {
      if (into === 'staffJournal' && docs.length > 0) throw new Error('the process has died');
      return records.insert(into, docs);
    },
  }));
}
