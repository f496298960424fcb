import { hash } from 'node:crypto';
import type { SuppressionDoc } from '../../store/collections.ts';
import type { Tenant } from '../../store/documents.ts';
import type { RecordStore } from '../../store/port.ts';

type Records = Pick<RecordStore, 'get' | 'insert' | 'remove'>;
type Stop = SuppressionDoc['stop'];

/**
 * By its hash, so that the list has no address, also of a deleted customer. An address that bounces does so for every
 * merchant; the other two are of one merchant and mode.
 */
function idOf(stop: Stop, { merchantId, mode }: Tenant, address: string): string {
  const key = hash('sha256', address.trim().toLowerCase(), 'hex');
  return stop === 'bounced' ? `bounced:${key}` : `${stop}:${merchantId}:${mode}:${key}`;
}

/** Any tenant: a bounce has none. */
const NO_TENANT: Tenant = { merchantId: '', mode: 'live' };

const STOPS: readonly Stop[] = ['bounced', 'merchant', 'unsubscribed'];

/** What stops the letters of a merchant to this address. `unsubscribed` stops reminders alone. */
export function suppressionsOf(
  records: Pick<Records, 'get'>,
  tenant: Tenant,
  address: string,
): Promise<SuppressionDoc[]> {
  return records.get(
    'suppressions',
    STOPS.map((stop) => idOf(stop, tenant, address)),
  );
}

interface Order {
  readonly by: string;
  readonly reason: string;
  readonly now: Date;
}

/** Sends the address no further letters. Again: nothing changes. */
export async function suppress(
  records: Records,
  stop: Stop,
  address: string,
  { by, reason, now }: Order,
  tenant: Tenant = NO_TENANT,
): Promise<void> {
  await records.insert('suppressions', [{ _id: idOf(stop, tenant, address), stop, by, reason, createdAt: now }]);
}

/** Sends the address letters again. False: it was not suppressed so. */
export async function release(
  records: Records,
  stop: Stop,
  address: string,
  tenant: Tenant = NO_TENANT,
): Promise<boolean> {
  return (await records.remove('suppressions', [idOf(stop, tenant, address)])) > 0;
}
