import { newSession, type OpenedSession, secretHash } from '../../model/secrets.ts';
import type { MerchantDoc, PortalSubject } from '../../store/collections.ts';
import type { Tenant } from '../../store/documents.ts';
import type { Store } from '../../store/port.ts';
import { tenantStore } from '../../store/tenant.ts';
import { requireCustomer } from '../customers/customers.ts';

/** An hour. A wallet that signs again, or another link, opens the next session. */
const SESSION_MS = 3_600_000;

export interface SessionsDeps {
  readonly store: Store;
  readonly clock: () => Date;
}

export async function openPortalSession(
  { store, clock }: SessionsDeps,
  subject: PortalSubject,
): Promise<OpenedSession> {
  const { opened, stored } = newSession(clock(), SESSION_MS);
  const [verdict] = await store.records.insert('portalSessions', [{ ...stored, subject }]);
  if (!verdict?.inserted) throw new Error('a session of the portal could not be stored');
  return opened;
}

/** Opens the portal for one customer of the tenant, without a signature. Throws 404. */
export async function openForCustomer(
  deps: SessionsDeps,
  { merchantId, mode }: Tenant,
  customerId: string,
  returnUrl: string | null,
): Promise<OpenedSession> {
  await requireCustomer(deps.store, { merchantId, mode }, customerId);
  return openPortalSession(deps, { kind: 'customer', merchantId, mode, customerId, returnUrl });
}

/** A session that is open now. */
export interface PortalSession {
  readonly subject: PortalSubject;
  readonly expiresAt: Date;
  /** The merchant of a customer's session; null: a wallet has signed in. */
  readonly merchant: MerchantDoc | null;
}

/** null: the secret is unknown or has expired, or its customer is deleted. */
export async function findPortalSession({ store, clock }: SessionsDeps, secret: string): Promise<PortalSession | null> {
  const [session] = await store.records.get('portalSessions', [secretHash(secret)]);
  if (session === undefined || session.expiresAt <= clock()) return null;
  const { subject, expiresAt } = session;
  if (subject.kind === 'wallet') return { subject, expiresAt, merchant: null };
  const [[merchant], customer] = await Promise.all([
    store.records.get('merchants', [subject.merchantId]),
    tenantStore(store, subject).record('customers', subject.customerId),
  ]);
  if (merchant === undefined || customer === null || customer.deletedAt !== null) return null;
  return { subject, expiresAt, merchant };
}

export async function endPortalSession({ store }: SessionsDeps, secret: string): Promise<void> {
  await store.records.remove('portalSessions', [secretHash(secret)]);
}
