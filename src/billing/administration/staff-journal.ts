import type { JsonObject } from '../../../machines/json.ts';
import { type ListPage, NEWEST_FIRST, type Page, readPage } from '../../model/lists.ts';
import type { StaffAction, StaffEntryDoc } from '../../store/collections.ts';
import type { Tenant } from '../../store/documents.ts';
import { newId } from '../../store/ids.ts';
import type { RecordStore, Store } from '../../store/port.ts';
import { tenantStore } from '../../store/tenant.ts';

/** Who asks for a change, a member of the staff or of the merchant, and the reason. */
export type StaffOrder = Pick<StaffEntryDoc, 'by' | 'from' | 'reason'>;

/** Greater than the number of keys or wallets of any merchant. */
export const OWN_DOCUMENTS_MAX = 1_000;

/** The journal entry of a change. Store it in the changed document, in the same write. */
export function staffEntry(
  order: StaffOrder,
  merchantId: string,
  now: Date,
  done: { readonly action: StaffAction; readonly details: JsonObject },
): StaffEntryDoc {
  return { _id: newId('op', now), merchantId, at: now, ...order, ...done };
}

/**
 * Copies entries to the journal; an existing one stays. A document keeps its newest entry only. So copy that before
 * another change replaces it, and copy the new one before the change is reported.
 */
export async function keepEntries(
  records: RecordStore,
  entries: readonly (StaffEntryDoc | undefined)[],
): Promise<void> {
  const docs = entries.filter((entry) => entry !== undefined);
  const verdicts = await records.insert('staffJournal', docs);
  const refused = verdicts.find((verdict) => !verdict.inserted && verdict.index !== '_id');
  if (refused?.inserted === false) throw new Error(`staffJournal: an entry has the ${refused.index} of another`);
}

/** The journal of a merchant, newest first. First copies the entries that a process had not copied before it died. */
export async function readStaffJournal(
  { records, actors }: Pick<Store, 'records' | 'actors'>,
  merchantId: string,
  page: Page,
): Promise<ListPage<StaffEntryDoc>> {
  const [merchants, keys, live, test, deposits, members] = await Promise.all([
    records.get('merchants', [merchantId]),
    records.find('apiKeys', { where: { merchantId }, limit: OWN_DOCUMENTS_MAX }),
    walletsOf({ records, actors }, { merchantId, mode: 'live' }),
    walletsOf({ records, actors }, { merchantId, mode: 'test' }),
    records.find('deposits', {
      where: { merchantId, 'staffEntry.at': { gt: new Date(0) } },
      sort: [['staffEntry.at', -1]],
      limit: OWN_DOCUMENTS_MAX,
    }),
    records.find('members', { where: { merchantId }, limit: OWN_DOCUMENTS_MAX }),
  ]);
  await keepEntries(
    records,
    [...merchants, ...keys, ...live, ...test, ...deposits, ...members].map((doc) => doc.staffEntry),
  );
  return readPage(page, {
    sort: [['at', -1]],
    get: async (id) => {
      const [entry] = await records.get('staffJournal', [id]);
      return entry?.merchantId === merchantId ? entry : null;
    },
    find: (query) => records.find('staffJournal', { where: { merchantId }, ...query }),
  });
}

/** Every wallet of an environment, newest first, including those without an address. */
export function walletsOf(store: Pick<Store, 'records' | 'actors'>, tenant: Tenant) {
  return tenantStore(store, tenant).find('wallets', {
    where: {},
    sort: NEWEST_FIRST,
    limit: OWN_DOCUMENTS_MAX,
  });
}
