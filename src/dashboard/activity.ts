import { z } from 'zod';
import type { JsonObject } from '../../machines/json.ts';
import { keepEntries, readStaffJournal, staffEntry } from '../billing/administration/staff-journal.ts';
import type { Catalog } from '../chains/catalog.ts';
import type { HttpDeps } from '../http/deps.ts';
import { answer } from '../http/endpoint.ts';
import { page, pageOf } from '../http/input/fields.ts';
import { pageView } from '../http/schemas.ts';
import type { StaffEntryDoc } from '../store/collections.ts';
import type { Mode } from '../store/documents.ts';
import { activityText } from './activity-text.ts';
import { type DashboardCaller, dashboardEndpoint, orderOf } from './endpoint.ts';
import { type Activity, activitiesSchema } from './wire.ts';

export const listActivity = dashboardEndpoint({
  summary: 'List what the people of the merchant, and the operator for it, have changed, newest first',
  query: z.object(page),
  responses: { 200: activitiesSchema },
  handle: async ({ query, caller }, deps) => {
    const page = pageOf(query);
    const found = await readStaffJournal(deps.store, caller.session.merchant._id, page);
    return answer(200, {
      activity: found.items.map((entry) => activityView(deps.catalog, entry)),
      ...pageView(page, found),
    });
  },
});

export interface NotedCall {
  /** The operation of the API, by its id. */
  readonly call: string;
  readonly mode: Mode;
  readonly resourceId: string | null;
}

/**
 * Journals a change that a person has made through the merchant API. The change is stored already: a process that dies
 * between the two leaves it without an entry.
 */
export async function noteCall(
  { store: { records }, clock }: Pick<HttpDeps, 'store' | 'clock'>,
  caller: DashboardCaller,
  { call, mode, resourceId }: NotedCall,
): Promise<void> {
  const done = { action: 'call.made', details: { call, mode, resourceId } } as const;
  await keepEntries(records, [staffEntry(orderOf(caller), caller.session.merchant._id, clock(), done)]);
}

/** Reasons and names of staff stay with the operator. */
function activityView(catalog: Catalog, { _id: id, at, by, from, action, details }: StaffEntryDoc): Activity {
  const resourceId = textIn(details, 'resourceId');
  const [, name] = /^member:(.*)$/s.exec(by) ?? [];
  return {
    ...{ id, at: at.toISOString(), by: name ?? null, from: from ?? null },
    text: activityText(catalog, action, details),
    ...{ mode: modeIn(details), resourceId, page: PAGES[resourceId?.split('_')[0] ?? ''] ?? null },
  };
}

/** By the beginning of an id. */
const PAGES: { readonly [prefix: string]: Activity['page'] } = {
  offer: 'offers',
  cust: 'customers',
  sub: 'subscriptions',
  pay: 'payments',
  evt: 'developers',
};

function modeIn({ mode }: JsonObject): Activity['mode'] {
  return mode === 'test' || mode === 'live' ? mode : null;
}

function textIn(details: JsonObject, name: string): string | null {
  const value = details[name];
  return typeof value === 'string' ? value : null;
}
